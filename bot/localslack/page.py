"""The playground's page: three static files, nothing from anywhere else."""

from importlib import resources

from aiohttp import web

from bot.localslack.control import check_origin

_TYPES = {"html": "text/html", "js": "text/javascript", "css": "text/css"}
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
        "form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


async def serve_page(request: web.Request) -> web.Response:
    """Serve one of the files of web/; the page itself where none is named."""
    check_origin(request)
    name = request.match_info.get("name", "index.html")
    file = resources.files("bot.localslack") / "web" / name
    kind = _TYPES.get(name.rpartition(".")[2])
    if kind is None or not file.is_file():
        raise web.HTTPNotFound
    body = file.read_bytes()
    return web.Response(body=body, content_type=kind, charset="utf-8", headers=_HEADERS)


def add_page(router: web.UrlDispatcher) -> None:
    """Register the page and its files."""
    router.add_get("/", serve_page)
    router.add_get(r"/web/{name:[a-z]+\.(?:js|css)}", serve_page)

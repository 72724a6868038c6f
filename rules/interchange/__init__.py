"""Other forms of entries: read them in, write them out, lose nothing that the form can hold."""

"""Vices & Vengeance in words."""


class Narrator:
    pass

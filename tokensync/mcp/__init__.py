"""The tokens of a project for agents, by the Model Context Protocol over stdio. Nothing is written or applied.

In: questions of a client, and the project's token files. Out: JSON of bounded size, with the text that code writes for
a token and its value in every theme. Begin with ``answers``, which ``server`` offers as tools; ``search`` ranks tokens
by the words of a question.
"""

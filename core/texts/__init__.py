"""A project's texts as data: which generator wrote them, their scores, and the tables that they come from and go to."""

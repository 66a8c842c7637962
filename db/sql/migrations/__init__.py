"""The steps from an empty database to the models of today, one file per revision under `versions/`.

To change the schema: change `models.py`, append the new revision to its `REVISIONS`, and write `versions/rNNNN_what.py`
after the pattern of the ones there; the tests compare what the migrations build with the models and print what differs.
A revision that has been released is never edited.
"""

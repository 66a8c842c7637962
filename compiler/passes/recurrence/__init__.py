"""Passes for models that recur: products that every step would make are made for all steps at once.

A product of one row reads a whole weight to do little with it, so a loop of them is bound by memory; one product of all
rows reads it once. The passes find such products in functions that call themselves, where what they multiply is known
before the recursion begins.

    model                                        pass               what it makes at once
    recurrent nets over a sequence (LSTM):       hoist_recurrence   the input's product of all steps; of a product of
    a tensor is walked row by row                                   `[x, h]` the half that is x's (`split_products`)
    nets over data (TreeLSTM, lists):            batch_fields       the products of a constructor's field, as of all
    a data type is walked by match                                  leaves, which a walk before collects (`row_lists`)
    the same, where the product stands behind    sink_products      moves it into the clause, where `batch_fields` sees
    the match                                                       it
    rows that each step puts behind those        append_rows        no product: it writes them in place, so that n rows
    before (scans, a decoder's cache)                               cost n
    the same from call to call of a model        grow_inputs        no product either; asked for, since inputs and
                                                                    results then lie another way
    steps that a model has written out           written_steps      products of many rows of a tensor
    a product that is cut into gates (LSTM, GRU) match_cells        no product; its gates and what is made of them are
                                                                    one kernel

They leave alone what gains nothing or cannot be known: weights that the first level cache holds (`by_row.WORTH`),
functions that are values somewhere, ways that depend on what is computed. Models that are one function (BERT, ResNet)
have no recursion, and a decoder's next input is what it has just made: the passes that look for recursion change none
of them.
"""

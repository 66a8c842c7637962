/* Operators of the host in C: what functions of the host's table do in numpy, for a driver that asks Python for less.

   Each is given its operands, results last, and its attributes as words, and says whether it has done it. It has not
   where operands are none that it knows or a position is not there; results may then hold anything, and Python, which
   is asked next, does it or says why. Nothing here trusts shapes: it looks at all that it relies on. */
#include "boxes.h"
#include "broadcasts.h"
#include "gathers.h"
#include "keys.h"
#include "nonzero.h"
#include "order.h"
#include "resizes.h"
#include "scatters.h"
#include "unique.h"

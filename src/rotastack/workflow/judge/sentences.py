"""The sentences of verdicts: templates with names in braces, which ``verdict.py`` and ``verdict_of_one.py`` fill."""

SHOWN = ("not shown", "shown")

# Over several data sets
NO_DATASET = "No data set has scores of all methods; see the notes."
EQUAL = "All {n_methods} methods have the same {score} on {datasets}: nothing tells them apart."
BEST = (
    "{best} is best of {n_methods} methods by average rank of the {score} over {datasets} ({rank:.2f}{rival}); "
    "{method} {change} ({counts}){cost}."
)
SHARED = (
    "{best} and {others} share the best average rank of the {score} among {n_methods} methods over {datasets} "
    "({rank:.2f}{rival}); {method} {change} ({counts}){cost}."
)
RIVAL_RANK = "; {rival} has {rank:.2f}"
WITH_ALL = "the {n} of {total} data sets that have all of them"
AVERAGE = "{raises} the {score} of {other} by {percent:.1f} % on average"
NO_CHANGE = "leaves the {score} of {other} as it is on average"
FROM_ZERO = "is compared with {other}, whose {score} is 0 everywhere"
FIT_COST = ", for {fit} the training time"
PREDICT_COST = " and {predict} the prediction time"
WILCOXON = "Wilcoxon's signed-rank test{correction}"
CORRECTION = " with Holm's correction for {n} comparisons"
BEATS_THESE = "That it beats {worse} is shown ({test}, at {alpha:g})"
BEATS_NONE = "That it beats any other is not shown (least p {p}, {test})"
BEATS_CONTROL = "That {best} beats {control} is {shown} (p {p}, {test})"
TOO_FEW = "; so many comparisons need {needed} data sets at least, even if all agree"
FRIEDMAN = "that the {n_methods} methods differ as a whole is {shown} (Friedman's test, p {p})"
ONE_DATASET = "No test: there is only one data set."
FAILED_ON = "{method} failed on {where}: {message}."

# Rotations
ROTATIONS = "{effect} (p {p}, {turned} against {plain}{correction}): they {where}."
ROTATIONS_UNTESTED = "Rotations ({turned} against {plain}) {where}."
ROTATIONS_HERE = (
    "{effect} here: {turned} has {score}, the same without them, {plain}, {score_plain} (p {p}{correction})."
)
EFFECTS = {"help": "Rotations help", "harm": "Rotations do harm", "none": "No effect of rotations is shown"}
PAIRS_CORRECTION = ", with Holm's correction for {n} pairs"
MORE_UNTESTED = "And {n} more pairs with and without rotations are not named here."
MORE_PAIRS = "Of {pairs} with and without rotations, the least p is {p:.2g}."
HELP = "help on {n} of {datasets}{where}"
HARM = "do harm on {n}{of}{where}"

# On one data set
ALL_FAILED = "No method has a score; the report says why."
SCORES = "{best}: {score} {value}{against}."
CHOSEN = (
    "{chosen} ({value}) becomes the model: its {breaker}{loss} is the least of the methods that cannot be told apart."
)
ALIKE = "{units} cannot tell {best} from {alike}."
FURTHER = "{alike}, nor from {further} further down, whose losses differ more between {unit}"
TIES = "{best} ties with {ties}: {level:g}% intervals of the differences lie within {margin}."
NO_TEST = "No test: too few {unit} are held out."
TESTED = "The difference from {rival} is {shown} (p {p}{picked}; {units}{beside})."
PICKED = " after Holm's correction for {n} comparisons, as the best is picked from {n_methods}"
BESIDE = "; by the corrected t test over {n} splits p {p}"
THRESHOLD = (
    "{method} predicts class {class} for {decided:,} of {total:,} held-out rows, and {rows:,} are of it. From probability "
    "{threshold:.4g} on it would find {right:,} of these, and be wrong for {wrong:,} of the {others:,} others (the best "
    "balanced accuracy on these rows, {accuracy:.0%}): model.threshold: {threshold:.4g} in the study's file sets it."
)
TEN_ROWS = (
    "Ten of {rows:,} held-out rows make {share:.0%} of the squared errors of {best}, of which its {score} is made, and "
    "{absolute:.0%} of the absolute errors, which --score mae compares."
)
FAILED = "Failed: {methods}; the others are compared."
WITHOUT_INTERVALS = "Not compared, as they predict no intervals: {methods}."

# Beside the baseline
NOT_BETTER = "No method {what} than {baseline}{rest}."
ROWS_TELL = ", but the outputs of {method} for held-out rows go with the target (permuted rows, p {p})"
NO_RELATION = "That the columns hold information about the target is not shown (permuted held-out rows, least p {p})."

# Groups of methods
ALL_GROUPS = "All groups (a row is a data set in one group)"
GROUP_WITHOUT_DATA = "{title}: no data set has scores of all methods; see the notes of the group."
ORDER = "{title}: by average rank of the {score} over {n} the order is {order}."
NO_DIFFERENCE = (
    " Friedman's test sees no difference between the methods (p = {p:.3g}): with {n} the order above may be chance."
)
DIFFERENCES = " Friedman's test says that the methods differ (p = {p:.3g}); by Nemenyi's test these pairs do: {pairs}."

# Claims
CLAIM = "{quantity} of {of} is {expected} that of {than}"
CLAIM_RESULT = "{text}: {holds} ({found}{p})."
MANY_CLAIMS = "Of the study's {n} claims {hold} hold; the report has the tests."
CLAIM_WITHOUT_SCORES = "no data set has its numbers for both methods"

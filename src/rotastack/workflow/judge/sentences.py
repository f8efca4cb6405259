"""The sentences of verdicts: templates with names in braces, which ``verdict.py`` and ``verdict_of_one.py`` fill."""

SHOWN = ("not shown", "shown")

OPTIONS = {"score": "--score {}", "threshold": "set model.threshold: {} in the study's file", "report": "the report"}
"""Option, or other name of the command, -> its words in a sentence; braces stand for its value."""

# Over several data sets
NO_DATASET = "No data set has scores of all methods; see the notes."
EQUAL = "All {n_methods} methods tie: they have the same {score} on {datasets}."
BEST = (
    "{best} has the best average rank by {score} among {n_methods} methods over {datasets} ({rank:.2f}{rival}); "
    "{method} {change} ({counts}){cost}."
)
SHARED = (
    "{best} and {others} share the best average rank by {score} among {n_methods} methods over {datasets} "
    "({rank:.2f}{rival}); {method} {change} ({counts}){cost}."
)
RIVAL_RANK = "; {rival} has {rank:.2f}"
WITH_ALL = "the {n} of {total} data sets with all scores"
AVERAGE = "has a {higher} {score} than {other}, by {amount}"
NO_CHANGE = "has on average nearly the same {score} as {other}"
PERCENT = "{percent:.1f} % in the geometric mean"
DIFFERENCE = "{difference:.2g}{unit} on average"
OF_BASELINE = " of the baseline's"
FIT_COST = ", at {fit} the training time (median ratio)"
PREDICT_COST = " and {predict} the prediction time"
WILCOXON = "Wilcoxon's signed-rank test{correction}"
CORRECTION = " with Holm's correction for {n} comparisons"
BEATS_THESE = "That it beats {worse} is shown ({test}, at {alpha:g})"
BEATS_NONE = "That it beats any other is not shown (smallest p {p}, {test})"
BEATEN = "that {better} beats {control} is shown, although {control} has the better average rank"
BEATS_CONTROL = "That {winner} beats {loser} is {shown} (p {p}, {test}{although})"
ALTHOUGH = "; but {best} has the better average rank"
TOO_FEW = "; so many comparisons need at least {needed} data sets, even if all agree"
FRIEDMAN = "that the {n_methods} methods differ as a whole is {shown} (Friedman's test, p {p})"
ONE_DATASET = "No test: there is only one data set."
FAILED_ON = "{method} failed on {where}: {message}."

# Rotations
ROTATIONS = "{effect} (p {p}, {turned} against {plain}{correction}): they {where}."
ROTATIONS_UNTESTED = "Rotations ({turned} against {plain}) {where}."
ROTATIONS_HERE = "{effect} here: {score} with rotations ({turned}), {score_plain} without ({plain}); p {p}{correction}."
EFFECTS = {"help": "Rotations help", "harm": "Rotations hurt", "none": "No effect of rotations is shown"}
PAIRS_CORRECTION = ", with Holm's correction for {n} pairs"
MORE_UNTESTED = "{n} more pairs with and without rotations are not listed here."
MORE_PAIRS = "For {pairs} with and without rotations, the smallest p is {p:.2g}."
HELP = "help on {n} of {datasets}{where}"
HARM = "hurt on {n}{of}{where}"

# On one data set
ALL_FAILED = "No method has a score; {report} says why."
SCORES = "{best}: {score} {value}{against}."
CHOSEN = "{chosen} ({value}) becomes the model: it has the lowest {breaker}{loss} of the methods that cannot be told apart{fastest}."
ALIKE = "On {units}, {best} cannot be told apart from {alike}."
FURTHER = "{alike}, nor from {further} further down, whose losses vary more between {unit}"
TIES = "{best} ties with {ties}: the {level:g}% intervals of the differences lie within ±{margin}."
NO_TEST = "No test: the score depends on too few held-out {unit}."
TESTED = "The difference from {rival} is {shown} (p {p}{picked}; {units}{beside})."
PICKED = " after Holm's correction for {n} comparisons, as the best is picked from {n_methods}"
BESIDE = "; by the corrected t test over {n} splits p {p}"
THRESHOLD = (
    "{method} predicts class {class} for {decided:,} of {total:,} held-out rows; {rows:,} rows have this class. At a threshold "
    "of {threshold:.4g}, it finds {right:,} of these, with {wrong:,} false positives among the {others:,} other rows (the best "
    "balanced accuracy on these rows, {accuracy:.0%}; as it is chosen on them, new rows will have a lower one). To apply it, {option}."
)
TEN_ROWS = (
    "Ten of {rows:,} held-out rows account for {share:.0%} of the squared errors of {best}, which determine its {score}, and "
    "for {absolute:.0%} of the absolute errors, which {option} compares."
)
FAILED = "Failed: {methods}; the others are compared."
WITHOUT_INTERVALS = "Not compared, for lack of prediction intervals: {methods}."

# Beside the baseline
NOT_BETTER = "No method {what} than {baseline}{rest}."
ROWS_TELL = ", but the outputs of {method} for held-out rows are associated with the target (test of ranks, p {p})"
NO_RELATION = "That the columns contain information about the target is not shown (test of ranks, smallest p {p})."

# Groups of methods
ALL_GROUPS = "All groups (a data set has the mean of a method's ranks in its groups)"
GROUP_WITHOUT_DATA = "{title}: no data set has scores of all methods; see the notes of the group."
ORDER = "{title}: the average ranks by {score} over {n} are {order}."
NO_DIFFERENCE = (
    " That the methods differ is not shown (Friedman's test, p = {p:.3g}): with {n} this order may be chance."
)
DIFFERENCES = (
    " That the methods differ is shown (Friedman's test, p = {p:.3g}); pairs that differ by Nemenyi's test: {pairs}."
)

# Claims
CLAIM = "{quantity} of {of} is {expected} that of {than}"
CLAIM_RESULT = "{text}: {holds} ({found}{p})."
MANY_CLAIMS = "{counts}; the report has the tests."
OF_DIFFERENCE = "{hold} of {n} claims of a difference hold"
OF_EQUALITY = "{hold} of {n} claims of equality have no sign against them{few}"
FEW_TO_TELL = ", {n} on too few data sets for any"
CLAIM_WITHOUT_SCORES = "no data set has this number for both methods"

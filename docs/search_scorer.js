/* Scores of the guide's search: Sphinx's own, but a decision record ranks below every page for readers. */
"use strict";

var Scorer = {
  score: ([docname, , , , score]) => (docname.startsWith("decisions/") ? score / 10 : score),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};

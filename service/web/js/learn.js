/** The view to learn in; fetched when somebody opens it, or when there is nothing else to do. */

import { LearnView } from "./learn/learn-view.js";

export const View = LearnView;

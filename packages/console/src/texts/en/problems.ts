import type { ProblemSentences } from "../problems.ts";

/** The sentences about fields. The service says them in English. */
export const problemSentences: Partial<ProblemSentences> = {};

/** Which part of the service was asked. `none`: no route has the address, or the call is not valid HTTP. */
export const AREAS = ['api', 'oauth', 'pages', 'console', 'none'] as const;
/** By the first digit of the status. `aborted`: the caller went away before the answer was complete. */
export const ANSWER_CLASSES = ['1xx', '2xx', '3xx', '4xx', '5xx', 'aborted'] as const;

export type Area = (typeof AREAS)[number];
export type AnswerClass = (typeof ANSWER_CLASSES)[number];

/** How many requests this process has answered, by area and class. */
export type AnswerCounts = {
  add(area: Area, answer: AnswerClass): void;
  entries(): { readonly area: Area; readonly answer: AnswerClass; readonly count: number }[];
};

export function countAnswers(): AnswerCounts {
  const counts = new Map(AREAS.map((area) => [area, new Map(ANSWER_CLASSES.map((answer) => [answer, 0]))]));
  return {
    add(area, answer) {
      const row = counts.get(area)!;
      row.set(answer, row.get(answer)! + 1);
    },
    entries: () => [...counts].flatMap(([area, row]) => [...row].map(([answer, count]) => ({ area, answer, count }))),
  };
}

/** What the dialog of an operation explains about its record. */
import { actionHelps } from "./en/action-help.ts";

type Helps = Readonly<Record<string, string | ((record: never) => string) | undefined>>;

export function actionHelp(path: string, record: object): string | undefined {
  const own = (actionHelps as Helps)[path];
  return typeof own === "function" ? own(record as never) : own;
}

/** What `npm run bench` and `npm run chaos` have in common: scenarios that are chosen by name, and lines with the time. */

export type Scenarios<Run> = Readonly<Record<string, { readonly about: string; readonly run: Run }>>;

/** The scenarios for the help. */
export function describeScenarios(scenarios: Scenarios<unknown>, width: number): string {
  return Object.entries(scenarios)
    .map(([name, { about }]) => `  ${name.padEnd(width)} ${about}`)
    .join("\n");
}

/** The items of an option, between commas. */
export function itemsOf(text: string | undefined): string[] | undefined {
  return text?.split(",").map((item) => item.trim());
}

/** @returns what is wrong with the names of scenarios, if anything */
export function unknownNames(names: readonly string[], scenarios: Scenarios<unknown>): string | undefined {
  const unknown = names.filter((name) => !(name in scenarios));
  return unknown.length === 0 ? undefined : `No scenario is called ${unknown.join(", ")}.`;
}

/** @returns writes lines of progress with the minutes and seconds since the start */
export function sayer(startedAt: Date): (line: string) => void {
  return (line) => {
    const seconds = Math.floor((Date.now() - startedAt.getTime()) / 1000);
    const minutes = String(Math.floor(seconds / 60)).padStart(3);
    console.error(`${minutes}:${String(seconds % 60).padStart(2, "0")}  ${line}`);
  };
}

/** Tells what is wrong with the options. @returns the exit code */
export function rejectOptions(program: string, problem: string): number {
  console.error(`${problem} See npm run ${program} -- --help.`);
  return 2;
}

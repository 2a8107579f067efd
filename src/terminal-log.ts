/** The log for people, when standard output is a terminal: one line for each event. */

type Line = Readonly<Record<string, unknown>>;

const levels: Readonly<Record<number, string>> = { 40: "warning", 50: "error", 60: "fatal" };

/**
 * Makes a line of the log readable: `05:00:01 POST /sp/members/list 401 unauthorized 0.4 ms`.
 * @param json a line of JSON, as the log has it
 * @returns the line in the time zone of the machine; an error comes with its stack on lines of its own
 */
export function terminalLine(json: string): string {
  const { time, level, msg, err, ...fields } = JSON.parse(json) as Line;
  const clock = new Date(String(time)).toTimeString().slice(0, 8);
  const name = levels[Number(level)];
  const text = msg === "request" ? requestText(fields) : [msg, ...pairs(fields)].join(" ");
  const { stack, message } = (err ?? {}) as { stack?: string; message?: string };
  const fault = stack ?? message;
  const line = [clock, ...(name === undefined ? [] : [name]), text].join(" ");
  return fault === undefined ? `${line}\n` : `${line}\n${fault}\n`;
}

function requestText({
  method = "POST",
  operation = "",
  status,
  error_code,
  duration_ms,
  reason,
}: Line): string {
  const duration = duration_ms === undefined ? undefined : `${String(duration_ms)} ms`;
  return [method, operation, status, error_code, reason, duration]
    .filter((part) => part !== undefined && part !== "")
    .join(" ");
}

function pairs(fields: Line): string[] {
  return Object.entries(fields).map(
    ([name, value]) => `${name}=${typeof value === "object" ? JSON.stringify(value) : String(value)}`,
  );
}

/** A state as a word with a colour, and what keeps an active record from acting. */
import { Badge } from "@mantine/core";
import { Note } from "../feedback/loading.tsx";
import { choiceText, warningText } from "../texts/index.ts";

const colours = {
  teal: /^(?:active|enabled|available|held|delivered|.+_ended)$/,
  blue: /^(?:pending|invited|waiting|.+_(?:uploading|checking|importing|running))$/,
  orange: /^(?:paused|import_checked)$/,
  red: /^(?:failing|(?:.+_)?failed)$/,
};

type StateProps = Readonly<{ value: string; row?: Readonly<Record<string, unknown>> | undefined }>;

export function State({ value, row }: StateProps) {
  const warning = row?.warning ? warningText(String(row.warning)) : null;
  const [known = "gray"] = Object.entries(colours).find(([, states]) => states.test(value)) ?? [];
  return (
    <>
      <Badge {...{ miw: "max-content", color: warning ? "orange" : known, children: choiceText(value) }} />
      {warning && <Note className="words">{warning}</Note>}
    </>
  );
}

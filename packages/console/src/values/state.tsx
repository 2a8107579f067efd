/** A state as a word with a colour, and what keeps an active record from acting. */
import { Badge } from "@mantine/core";
import { Note } from "../feedback/loading.tsx";
import { choiceText, messageText } from "../texts/labels.ts";

const colours = {
  teal: ["active", "enabled", "available", "held", "delivered", "import_ended"],
  blue: ["pending", "invited", "waiting", "import_uploading", "import_checking", "import_importing"],
  orange: ["paused", "import_checked"],
  red: ["failing", "failed", "import_failed"],
};

type StateProps = Readonly<{ value: string; row?: Readonly<Record<string, unknown>> | undefined }>;

export function State({ value, row }: StateProps) {
  const warning = row?.warning ? messageText(String(row.warning), row) : null;
  const [known = "gray"] = Object.entries(colours).find(([, values]) => values.includes(value)) ?? [];
  return (
    <>
      <Badge {...{ miw: "max-content", color: warning ? "orange" : known, children: choiceText(value) }} />
      {warning && <Note className="words">{warning}</Note>}
    </>
  );
}

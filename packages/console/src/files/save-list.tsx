import { Button } from "@mantine/core";
import { useState } from "react";
import type { ListPath, RequestOf } from "../api/declarations.ts";
import { useBusiness } from "../business.tsx";
import { failureText } from "../feedback/failure.tsx";
import { notify } from "../feedback/notices.tsx";
import { texts } from "../texts/en.ts";
import { downloadList } from "./csv.ts";

interface SaveListProps<P extends ListPath> {
  readonly path: P;
  readonly request: RequestOf<P>;
}

/** Saves all pages of a list as a CSV file. */
export function SaveList<P extends ListPath>({ path, request }: SaveListProps<P>) {
  const business = useBusiness();
  const [isReading, setReading] = useState(false);
  const save = () => {
    setReading(true);
    downloadList(path, request, business)
      .catch((error: Error) => notify(failureText(error)))
      .finally(() => setReading(false));
  };
  return (
    <Button variant="default" onClick={save} loading={isReading}>
      {texts.tables.csv}
    </Button>
  );
}

/** The request log of all integrations. */
import { PageTitle } from "../../shell/page-title.tsx";
import { texts } from "../../texts/en.ts";
import { Requests } from "./request-log.tsx";

export function RequestsPage() {
  return (
    <>
      <PageTitle title={texts.requests.title} subtitle={texts.requests.explanation} />
      <Requests />
    </>
  );
}

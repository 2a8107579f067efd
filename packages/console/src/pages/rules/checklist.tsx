/** What is missing until a sale has earned points, with the page where it is set up. */

import { Alert } from "@mantine/core";
import { Redirect } from "wouter";
import { PageLink, useRead } from "../../components.ts";
import { texts } from "../../texts/index.ts";

const path = "/op/reward-settings/check";

/** @param props.leads whether a business that has nothing yet is led through its set-up instead */
export function EarningChecklist({ leads }: { readonly leads?: boolean }) {
  const state = useRead(path, {}).data?.data;
  if (state === undefined || state.missing.length === 0) return null;
  if (leads && state.missing.includes("no_location")) return <Redirect replace to="/setup" />;
  const t = texts.earning;
  return (
    <Alert color="orange" title={t.title}>
      <div>{state.missing.map((step) => t.steps[step]).join(" ")}</div>
      <PageLink href="/setup">{t.guide}</PageLink>
    </Alert>
  );
}

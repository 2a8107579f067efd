/** What is missing until a sale has earned points, with the pages where it is set up. */
import { Alert, List } from "@mantine/core";
import { Redirect } from "wouter";
import { useRead } from "../../api/index.ts";
import { texts } from "../../texts/en.ts";
import { PageLink } from "../../values/links.tsx";

const path = "/op/reward-settings/check";

const pages = {
  no_location: "/locations",
  rewards_off: "/rules",
  no_program: "/rules",
  program_without_rate: "/programs",
  maximum_is_zero: "/programs",
  no_integration: "/integrations",
  no_sale: "/requests",
} as const;

/** @param props.leads whether a business that has nothing yet is led through its set-up instead */
export function EarningChecklist({ leads }: { readonly leads?: boolean }) {
  const state = useRead(path, {}).data?.data;
  if (state === undefined || state.missing.length === 0) return null;
  if (leads && state.missing.includes("no_location")) return <Redirect replace to="/setup" />;
  const t = texts.earning;
  return (
    <Alert color="orange" title={t.title}>
      <List>
        {state.missing.map((step) => (
          <List.Item key={step}>
            <PageLink href={pages[step]}>{t.steps[step]}</PageLink>
          </List.Item>
        ))}
      </List>
      <PageLink href="/setup">{t.guide}</PageLink>
    </Alert>
  );
}

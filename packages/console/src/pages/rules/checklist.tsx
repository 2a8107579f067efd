/** What is missing until a sale has earned points, with the pages where it is set up. */
import { Alert, List } from "@mantine/core";
import { outputOf, useRead } from "../../api/index.ts";
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
const steps = (outputOf(path).missing?.items?.enum ?? []) as readonly (keyof typeof pages)[];

export function EarningChecklist() {
  const state = useRead(path, {}).data?.data;
  if (state === undefined || state.missing.length === 0) return null;
  const t = texts.earning;
  // Without a program, what it has to say is open, too.
  const isOpen = (step: keyof typeof pages) =>
    state.missing.includes(step) || (state.program === null && pages[step] === "/programs");
  return (
    <Alert color="orange" title={t.title}>
      <List>
        {steps.map((step) => (
          <List.Item key={step}>
            {isOpen(step) ? <PageLink href={pages[step]}>{t.steps[step]}</PageLink> : t.done(t.steps[step])}
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}

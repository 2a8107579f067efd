/** What is missing until a sale has earned points, with the pages where it is set up. */
import { Alert, Anchor, List } from "@mantine/core";
import { Link } from "wouter";
import { outputOf, useRead } from "../../api/index.ts";
import { texts } from "../../texts/en.ts";

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
  // Without a program, it has no rate either.
  const isOpen = (step: keyof typeof pages) =>
    state.missing.includes(step) || (state.program === null && step === "program_without_rate");
  return (
    <Alert variant="light" color="orange" mb="md" title={t.title}>
      <List listStyleType="none">
        {steps.map((step) => (
          <List.Item
            key={step}
            icon={
              <span {...{ role: "img", "aria-label": isOpen(step) ? t.open : t.done }}>
                {isOpen(step) ? "○" : "✓"}
              </span>
            }
          >
            {isOpen(step) ? (
              <Anchor component={Link} href={pages[step]} inherit underline="always">
                {t.steps[step]}
              </Anchor>
            ) : (
              t.steps[step]
            )}
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}

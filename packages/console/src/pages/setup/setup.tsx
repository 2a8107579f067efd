/** The steps from a new business to a sale that earned and a colleague. Each says whether it is done, and what is there. */
import { Badge, Group, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { pointsFor } from "../../../../../src/domain/engine/rules.ts";
import { callUntilKnown, type DataOf, queryClient, useAll } from "../../api/index.ts";
import { OperationButton, PageLink, PageTitle, Section, useBusiness, useSession } from "../../components.ts";
import { notifyFailure, Read } from "../../feedback/index.ts";
import { firstSteps, nameOf } from "../../texts/index.ts";
import { AddIntegration } from "../lists.tsx";
import { usePreview } from "../rules/preview.tsx";

const t = firstSteps;
const unearning = ["rewards_off", "no_program", "program_without_rate", "maximum_is_zero"];

const rulesPath = "/op/reward-settings/rules/get";
type OfRules = { readonly rules: DataOf<typeof rulesPath> };

const setWorth = {
  path: "/op/reward-settings/rules/update" as const,
  ...{ label: t.setWorth, show: ["value_points", "value_amount"], useExtras: usePreview },
};

/** `isDone`: undefined for a step that a business can do without, and while it is not known. */
type Step = Readonly<{ isDone?: boolean; found?: readonly object[]; button?: ReactNode }>;

export function SetupPage({ record }: { readonly record: DataOf<"/op/reward-settings/check"> }) {
  const business = { ...useBusiness() };
  const enabled = useSession().may("/op/operators/list");
  const locations = useAll("/op/locations/list", {}).data?.data;
  const people = useAll("/op/operators/list", {}, { enabled }).data?.data;
  const has = (...codes: readonly string[]) => !record.missing.some((code) => codes.includes(code));
  const change = <OperationButton path="/op/businesses/update" record={business} />;
  const add = <OperationButton path="/op/locations/create" />;
  const invite = <OperationButton path="/op/operators/create" label={t.invite} />;
  const stepsOf = ({ rules }: OfRules): { readonly [Each in keyof typeof t.steps]?: Step } => ({
    business: { isDone: true, found: [business], button: change },
    locations: { isDone: has("no_location"), found: locations, button: add },
    earning: { isDone: has(...unearning), button: !has(...unearning) && <SetRate rules={rules} /> },
    integration: { isDone: has("no_integration"), button: <AddIntegration /> },
    sale: { isDone: has("no_sale") },
    ...(enabled && { people: { isDone: people && people.length > 1, found: people, button: invite } }),
    worth: {
      isDone: rules.value_amount > 0,
      button: rules.value_amount === 0 && <OperationButton {...setWorth} initial={rules} />,
    },
    more: {},
  });
  return (
    <>
      <PageTitle title={t.title} subtitle={t.explanation} />
      <Read path={rulesPath} request={{}}>
        {(rules) =>
          Object.entries(stepsOf({ rules })).map(([step, { isDone, found = [], button }], index) => {
            const { title, text, links } = t.steps[step as keyof typeof t.steps];
            const badge = <Badge color={isDone ? "teal" : "blue"}>{isDone ? t.done : t.missing}</Badge>;
            return (
              <Section key={step} title={`${index + 1}. ${title}`} beside={isDone !== undefined && badge}>
                <Text size="sm" className="wraps">
                  {text} {found.length > 0 && t.found(found.map((one) => String(nameOf(one))))}
                </Text>
                <Group mt="xs">
                  {button}
                  {Object.entries(links).map(([page, label]) => (
                    <PageLink key={page} {...{ href: page, children: label }} />
                  ))}
                </Group>
              </Section>
            );
          })
        }
      </Read>
    </>
  );
}

/** Asks what sales earn, with examples, and makes it the usual program. */
function SetRate({ rules: { default_program_id: usual } }: OfRules) {
  const { business_id, currency_decimals, money } = useBusiness();
  const unit = 10 ** currency_decimals;
  const finish = async (default_program_id: number) => {
    await callUntilKnown("/op/reward-settings/rules/update", { business_id, default_program_id });
    await callUntilKnown("/op/reward-settings/update", { business_id, enable_rp: true });
    await queryClient.invalidateQueries();
  };
  return (
    <Read path="/op/programs/list" request={{}} all>
      {(programs) => {
        // A tab that was closed too early has left a program of this name. Others can be for some members only.
        const own = programs.find((one) => one.membership_name === t.program);
        const known = programs.find((one) => one.program_id === usual) ?? own;
        const { membership_name = t.program, maximum_points_per_order: most, program_id } = known ?? {};
        const maximum = { maximum_points_per_order: most || 100_000 };
        const fixed = { membership_name, ...maximum, ...(known && { program_id }) };
        return (
          <OperationButton
            path={`/op/programs/${known ? "update" : "create"}` as "/op/programs/create"}
            {...{ label: t.setRate, submitLabel: t.setRate, explanation: t.rateHelp, fixed }}
            suggested={{ earn_points: 1, earn_amount: unit, ...known }}
            show={["earn_points", "earn_amount", "earn_minimum_amount"]}
            preview={({ earn_points = 0, earn_amount = unit, earn_minimum_amount = 0 }) =>
              [5, 12.5, 80].map((amount) => {
                const rate = { ...fixed, earn_points, earn_amount, earn_minimum_amount };
                const sale = Math.floor(amount * unit);
                return <Text key={sale}>{t.example(money(sale), pointsFor(sale, rate))}</Text>;
              })
            }
            onDone={({ data }) => void finish(data.program_id).catch(notifyFailure)}
          />
        );
      }}
    </Read>
  );
}

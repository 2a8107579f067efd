/** What a business has once, such as the rules for points, with the buttons that change it. */
import { Group } from "@mantine/core";
import type { OperationButtonProps, WritePath } from "../components.ts";
import { Details, OperationButton, outputOf, Read, type Row, Section } from "../components.ts";

type Of = "/op/reward-settings" | "/op/reward-settings/rules" | "/op/apple-wallet" | "/op/google-wallet";
type Button = OperationButtonProps<WritePath>;
type SettingsProps = Readonly<{ title: string; of: Of; buttons: (record: Row) => readonly Button[] }> &
  Readonly<{ show?: (record: Row) => readonly string[]; refreshSeconds?: number }>;

export function Settings({ title, of, buttons, show = Object.keys, ...options }: SettingsProps) {
  const path = `${of}/get` as const;
  return (
    <Read path={path} request={{} as never} {...options}>
      {(data) => {
        const record = data as unknown as Row;
        const button = (one: Button) => <OperationButton key={one.path} {...one} {...{ record }} />;
        return (
          <Section {...{ title }} beside={<Group gap="xs">{buttons(record).map(button)}</Group>}>
            <Details {...{ record, show: show(record) }} fields={outputOf(path)} />
          </Section>
        );
      }}
    </Read>
  );
}

/** A menu of operations on a record. Each opens its form. The menu leaves out what the role may not use. */
import { Button, Menu } from "@mantine/core";
import { type ReactNode, useState } from "react";
import type { Path } from "../api/declarations.ts";
import { failureText } from "../feedback/failure.tsx";
import { notify } from "../feedback/notices.tsx";
import { useSession } from "../session/session.tsx";

export interface MenuAction {
  /** The operation, which decides whether the role sees the item. */
  readonly path: Path;
  readonly label: string;
  /** Whether it is separated from the others, because it can't be undone. */
  readonly isDangerous?: boolean;
  /** What opens: usually an OperationDialog. */
  readonly dialog?: (close: () => void) => ReactNode;
  /** What happens instead, without a dialog. */
  readonly run?: () => Promise<void>;
}

export function OperationMenu({
  label,
  actions,
}: {
  readonly label: string;
  readonly actions: readonly MenuAction[];
}) {
  const { may } = useSession();
  const [open, setOpen] = useState<MenuAction>();
  const allowed = actions.filter(({ path }) => may(path));
  if (allowed.length === 0) return null;
  const start = (run: () => Promise<void>) => {
    run().catch((error: Error) => notify(failureText(error)));
  };
  const item = (action: MenuAction) => (
    <Menu.Item
      key={action.label}
      c={action.isDangerous ? "var(--mantine-color-error)" : undefined}
      onClick={() => (action.run ? start(action.run) : setOpen(action))}
    >
      {action.label}
    </Menu.Item>
  );
  const dangerous = allowed.filter(({ isDangerous }) => isDangerous);
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default">{label}</Button>
        </Menu.Target>
        <Menu.Dropdown>
          {allowed.filter((action) => !dangerous.includes(action)).map(item)}
          {dangerous.length > 0 && <Menu.Divider />}
          {dangerous.map(item)}
        </Menu.Dropdown>
      </Menu>
      {open?.dialog?.(() => setOpen(undefined))}
    </>
  );
}

/** A menu of operations on a record. Each opens its form. The menu leaves out what the role may not use. */
import { Button, Menu } from "@mantine/core";
import { useRef, useState } from "react";
import type { Path, WritePath } from "../api/declarations.ts";
import { failureText, notify } from "../feedback/index.ts";
import { useSession } from "../session/session.tsx";
import { type OperationButtonProps, OperationDialog } from "./operation-dialog.tsx";

type Form = Omit<OperationButtonProps<WritePath>, "path" | "label" | "button">;

/** An item. It opens the form of its operation, or runs at once. */
export interface MenuAction extends Form {
  readonly path: Path;
  readonly label: string;
  /** Whether it is there. By default, it is. */
  readonly when?: boolean;
  /** Whether it is separated from the others, because it can't be undone. */
  readonly isDangerous?: boolean;
  readonly run?: () => Promise<void>;
}

type OperationMenuProps = Readonly<{ label: string; fixed: object; actions: readonly MenuAction[] }>;

/** @param props the fixed fields are those of all forms, such as the number of the record */
export function OperationMenu({ label, fixed, actions }: OperationMenuProps) {
  const { may } = useSession();
  const button = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState<MenuAction>();
  const allowed = actions.filter(({ path, when = true }) => when && may(path));
  if (allowed.length === 0) return null;
  const choose = (action: MenuAction) => {
    action.run?.().catch((error: Error) => notify(failureText(error)));
    if (action.run) return;
    // The dialog gives the focus back to what had it.
    button.current?.focus();
    setOpen(action);
  };
  const close = () => setOpen(undefined);
  const item = (action: MenuAction) => (
    <Menu.Item
      key={action.label}
      c={action.isDangerous ? "var(--mantine-color-error)" : undefined}
      {...(!action.run && { "aria-haspopup": "dialog" })}
      onClick={() => choose(action)}
    >
      {action.label}
    </Menu.Item>
  );
  const dangerous = allowed.filter(({ isDangerous }) => isDangerous);
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button ref={button} variant="default">
            {label}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {allowed.filter((action) => !dangerous.includes(action)).map(item)}
          {dangerous.length > 0 && <Menu.Divider />}
          {dangerous.map(item)}
        </Menu.Dropdown>
      </Menu>
      {open && <OperationDialog {...open} fixed={fixed} path={open.path as WritePath} onClose={close} />}
    </>
  );
}

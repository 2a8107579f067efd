/** A button that opens the form of a write in a dialog. It is absent if the role may not use the operation. */
import { Button, type ButtonProps, Text } from "@mantine/core";
import { type ReactNode, useState } from "react";
import type { WritePath } from "../api/declarations.ts";
import { lazyPart } from "../feedback/lazy-part.tsx";
import { useSession } from "../session/session.tsx";
import { actionText } from "../texts/labels.ts";
import type { FormDialogProps } from "./form-dialog.tsx";

export type OperationButtonProps<P extends WritePath> = Omit<FormDialogProps<P>, "onClose"> &
  Readonly<{
    button?: ButtonProps;
    /** Why the operation would be rejected as things are: it is shown instead of the button. */
    obstacle?: ReactNode;
    startsOpen?: boolean;
  }>;

export const loadForms = () => import("./form-dialog.tsx");

type AnyForm = FormDialogProps<WritePath>;

/** The first page has buttons, but no form. */
export const OperationDialog = lazyPart<AnyForm>(async () => (await loadForms()).FormDialog);

/** Operations that take something away look different. */
export const isDangerous = (path = "") =>
  /\/(?:deactivate|delete|erase|block|disable|revoke.*|end|cancel)$/.test(path);

const Obstacle = Text.withProps({ size: "sm", c: "dimmed", maw: "14rem", className: "words" });

export function OperationButton<P extends WritePath>(props: OperationButtonProps<P>) {
  const { button, obstacle, startsOpen = false, ...dialog } = props;
  const { label, path } = dialog;
  const [isOpen, setOpen] = useState(startsOpen);
  const { may } = useSession();
  if (!may(path)) return null;
  if (obstacle) return <Obstacle>{obstacle}</Obstacle>;
  return (
    <>
      <Button
        {...{ variant: "default", c: isDangerous(path) ? "var(--mantine-color-error)" : undefined }}
        {...{ "aria-haspopup": "dialog", ...button, onClick: () => setOpen(true) }}
      >
        {label ?? actionText(path)}
      </Button>
      {isOpen && <OperationDialog {...(dialog as unknown as AnyForm)} onClose={() => setOpen(false)} />}
    </>
  );
}

/** A button that opens the form of a write in a dialog. It is absent if the role may not use the operation. */
import { Button, type ButtonProps, Text } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { outlineOf, type Path, type WritePath } from "../api/declarations.ts";
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

/** Operations that warn first, such as that they can't be undone, look different. */
export const lookOf = (path?: Path) => path && outlineOf(path).warns && { c: "var(--mantine-color-error)" };

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
        {...{ variant: "default", "aria-haspopup": "dialog", ...lookOf(path), ...button }}
        onClick={() => setOpen(true)}
      >
        {label ?? actionText(path)}
      </Button>
      {isOpen && <OperationDialog {...(dialog as unknown as AnyForm)} onClose={() => setOpen(false)} />}
    </>
  );
}

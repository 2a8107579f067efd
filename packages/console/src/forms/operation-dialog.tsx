/** A button that opens the form of a write in a dialog. It is absent if the role may not use the operation. */
import { Button, type ButtonProps, Text } from "@mantine/core";
import { type ReactNode, useContext, useState } from "react";
import { declarationOf, outputOf, type ResponseOf, type WritePath } from "../api/index.ts";
import { ObjectName } from "../business.tsx";
import { Dialog, notify, SecretDialog } from "../feedback/index.ts";
import { useSession } from "../session/session.tsx";
import { doneText, texts } from "../texts/index.ts";
import { OperationForm, type OperationFormProps } from "./operation-form.tsx";

export interface OperationButtonProps<P extends WritePath>
  extends Omit<OperationFormProps<P>, "onDone" | "onCancel"> {
  /** By default, the summary of the operation. */
  readonly label?: string;
  readonly title?: string;
  /** What it is about. By default, the record of the page. */
  readonly of?: string | undefined;
  readonly button?: ButtonProps;
  /** Why the operation would be rejected as things are: it is shown instead of the button. */
  readonly obstacle?: ReactNode;
  /** What the dialog says above the fields. */
  readonly explanation?: ReactNode;
  readonly onDone?: OperationFormProps<P>["onDone"];
  readonly startsOpen?: boolean;
  /** A hook for what the form shows below the fields, and whether it can be sent. */
  readonly useExtras?: (path: WritePath) => Pick<OperationFormProps<WritePath>, "preview" | "canSubmit">;
}

const none = () => ({});
const Obstacle = Text.withProps({ size: "sm", c: "dimmed", maw: "14rem", className: "words" });

export function OperationButton<P extends WritePath>(props: OperationButtonProps<P>) {
  const { label, button, path, obstacle, startsOpen = false } = props;
  const [isOpen, setOpen] = useState(startsOpen);
  const { may } = useSession();
  if (!may(path)) return null;
  if (obstacle) return <Obstacle>{obstacle}</Obstacle>;
  return (
    <>
      <Button variant="default" aria-haspopup="dialog" {...button} onClick={() => setOpen(true)}>
        {label ?? declarationOf(path).summary}
      </Button>
      {isOpen && <OperationDialog {...props} onClose={() => setOpen(false)} />}
    </>
  );
}

type DialogProps<P extends WritePath> = OperationButtonProps<P> & { readonly onClose: () => void };

export function OperationDialog<P extends WritePath>(props: DialogProps<P>) {
  const ofPage = useContext(ObjectName);
  const {
    title,
    of = ofPage,
    explanation,
    onClose,
    onDone,
    label,
    startsOpen: _,
    useExtras = none,
    ...form
  } = props;
  const extras = useExtras(props.path);
  const { summary, message } = declarationOf(props.path);
  const [secret, setSecret] = useState<ResponseOf<P>>();
  const output = Object.entries(outputOf(props.path));
  const hasSecret = output.some(([, field]) => field.shownOnce);
  const done = doneText(props.path, message);
  const finish = (response: ResponseOf<P>) => {
    notify(done);
    onDone?.(response);
    onClose();
  };
  if (secret !== undefined) {
    const values = secret.data as unknown as Readonly<Record<string, string>>;
    // A program needs its client id with the secret.
    const shown = output.filter(([name, field]) => field.shownOnce || name === "client_id");
    const named = Object.fromEntries(shown.map(([name]) => [name, values[name] ?? ""]));
    return <SecretDialog title={done} values={named} onClose={() => finish(secret)} />;
  }
  return (
    <Dialog title={title ?? texts.forms.titleOf(label ?? summary, of)} onClose={onClose}>
      {explanation && (
        <Text mb="md" component="div">
          {explanation}
        </Text>
      )}
      <OperationForm
        key={props.path}
        {...extras}
        {...form}
        // A change is saved; other forms do what their button says.
        submitLabel={form.submitLabel ?? (form.initial === undefined ? label : undefined)}
        onCancel={onClose}
        onDone={hasSecret ? setSecret : finish}
      />
    </Dialog>
  );
}

/** The form of a write in a dialog. It is loaded after the first page. */
import { Text } from "@mantine/core";
import { type ReactNode, useContext, useState } from "react";
import type { ResponseOf, WritePath } from "../api/index.ts";
import { writes } from "../api/writes.ts";
import { ObjectName } from "../business.tsx";
import { Dialog, notify, SecretDialog } from "../feedback/index.ts";
import { doneText, texts } from "../texts/index.ts";
import type { Row } from "../values/value.tsx";
import { OperationForm, type OperationFormProps } from "./operation-form.tsx";

export interface FormDialogProps<P extends WritePath>
  extends Omit<OperationFormProps<P>, "onDone" | "onCancel"> {
  /** By default, the summary of the operation. */
  readonly label?: string;
  readonly title?: string;
  /** What it is about. By default, the record of the page. */
  readonly of?: string | undefined;
  /** What the dialog says above the fields. */
  readonly explanation?: ReactNode;
  readonly onDone?: OperationFormProps<P>["onDone"];
  /** A hook for what the form shows below the fields, and whether it can be sent. */
  readonly useExtras?: (path: WritePath, initial?: Row) => Partial<OperationFormProps<WritePath>>;
  readonly onClose: () => void;
}

export function FormDialog<P extends WritePath>(props: FormDialogProps<P>) {
  const ofPage = useContext(ObjectName);
  const { title, of = ofPage, explanation, onClose, onDone, label, useExtras = () => ({}), ...form } = props;
  const extras = useExtras(props.path, props.initial);
  const { summary, message, output: made } = writes[props.path];
  const [secret, setSecret] = useState<ResponseOf<P>>();
  const output = Object.entries(made.properties ?? {});
  const hasSecret = output.some(([, field]) => field.shownOnce);
  const size = Object.values(writes[props.path].input).some(({ part }) => part) ? "lg" : "md";
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
    <Dialog title={title ?? texts.forms.titleOf(label ?? summary, of)} {...{ onClose, size }}>
      {explanation && (
        <Text mb="md" component="div">
          {explanation}
        </Text>
      )}
      <OperationForm
        key={props.path}
        {...{ ...form, ...extras, onCancel: onClose }}
        // A change is saved; other forms do what their button says.
        submitLabel={form.submitLabel ?? (form.initial === undefined ? label : undefined)}
        onDone={hasSecret ? setSecret : finish}
      />
    </Dialog>
  );
}

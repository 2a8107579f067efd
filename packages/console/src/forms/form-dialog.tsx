/** The form of a write in a dialog. It is loaded after the first page. */
import { Text } from "@mantine/core";
import { type ReactNode, useContext, useState } from "react";
import type { ResponseOf, WritePath } from "../api/index.ts";
import { writes } from "../api/writes.ts";
import { PageRecord } from "../business.tsx";
import { Dialog, notify, SecretDialog } from "../feedback/index.ts";
import { actionHelp } from "../texts/action-help.ts";
import { actionText, doneText, isolated, nameOf, texts } from "../texts/index.ts";
import type { Row } from "../values/value.tsx";
import { OperationForm, type OperationFormProps } from "./operation-form.tsx";

/**
 * `explanation`: what the dialog says above the fields, if not what it says everywhere. `useExtras`: a hook for what the form shows below
 * the fields, and whether it can be sent.
 */
export type FormDialogProps<P extends WritePath> = Omit<OperationFormProps<P>, "onDone" | "onCancel"> &
  Partial<Pick<OperationFormProps<P>, "onDone">> &
  Readonly<{ label?: string; title?: string; explanation?: ReactNode; onClose: () => void }> &
  Readonly<{ useExtras?: (path: WritePath, initial?: Row) => Partial<OperationFormProps<WritePath>> }>;

export function FormDialog<P extends WritePath>(props: FormDialogProps<P>) {
  const { path, title, explanation, onClose, onDone, useExtras = () => ({}), ...form } = props;
  const { record: ofPage } = useContext(PageRecord);
  const {
    label = actionText(path),
    record = ofPage,
    initial = /update$/.test(path) && !form.suggested ? record : undefined,
  } = form;
  const extras = useExtras(path, initial as Row);
  const { message, output: made, input } = writes[path];
  const [secret, setSecret] = useState<ResponseOf<P>>();
  const output = Object.entries(made.properties ?? {});
  // What the person needs now: a secret, with the client id, or the address of a page.
  const shown = output.filter(([name, field]) => field.shownOnce || /^(client_id|page_path)$/.test(name));
  const hasSecret = shown.some(([name]) => name !== "client_id");
  const size = Object.values(input).some(({ part }) => part) ? "lg" : "md";
  const done = doneText(path, message);
  const names = new Set([record, ofPage].flatMap((one) => (one && nameOf(one)) ?? []).map(isolated));
  const help = explanation ?? actionHelp(path, record ?? {});
  const finish = (response: ResponseOf<P>) => {
    notify(done);
    onDone?.(response);
    onClose();
  };
  if (secret !== undefined) {
    const values = secret.data as unknown as Readonly<Record<string, string>>;
    const named = Object.fromEntries(shown.map(([name]) => [name, values[name] ?? ""]));
    return <SecretDialog title={done} values={named} onClose={() => finish(secret)} />;
  }
  return (
    <Dialog title={title ?? texts.forms.titleOf(label, [...names].join(", "))} {...{ onClose, size }}>
      {help && <Text {...{ mb: "md", component: "div", children: help }} />}
      <OperationForm
        key={path}
        {...{ ...form, record, initial: initial as Row, ...extras, path, onCancel: onClose }}
        // A change is saved; other forms do what their button says.
        submitLabel={form.submitLabel ?? (initial === undefined ? label : undefined)}
        onDone={hasSecret ? setSecret : finish}
      />
    </Dialog>
  );
}

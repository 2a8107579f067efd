/**
 * The form of a write, made from its declaration. It keeps what was written until the service has confirmed it. While the outcome
 * of a request is unknown, nothing can be edited, and "Try again" sends the same request with the same key.
 */
import { Alert, Box, Button, Fieldset, Group, SimpleGrid, Text } from "@mantine/core";
import { type ReactNode, type SubmitEvent, useEffect, useRef, useState } from "react";
import type { Asked, RequestOf, ResponseOf, WritePath } from "../api/index.ts";
import { isUnknown, useDecimals, useWrite } from "../api/index.ts";
import { writes } from "../api/writes.ts";
import { useRequest } from "../business.tsx";
import { FailureAlert, FailureInForm, PlainButton, useDialog } from "../feedback/index.ts";
import { labelOf, problemsOf, texts } from "../texts/index.ts";
import type { Row } from "../values/value.tsx";
import { FieldInputs } from "./field-input.tsx";
import type { FormValues, Problems } from "./form-values.ts";
import * as form from "./form-values.ts";
import { useOutcome } from "./outcome.tsx";

export interface OperationFormProps<P extends WritePath> {
  readonly path: P;
  /** Fields that the page sets, such as the member; it sets the business by itself. The form does not show them. */
  readonly fixed?: Partial<RequestOf<P>>;
  /** The record that is changed. Only its changed fields are sent. */
  readonly initial?: Row | undefined;
  /** Values to begin with, for a new record. */
  readonly suggested?: Row;
  /** What it is about. By default, the record of the page. */
  readonly record?: object | undefined;
  /** The fields that come first, such as the one that gets the focus. All others that are not fixed follow. */
  readonly first?: readonly string[];
  /** The only fields of the form. By default, it asks for all. */
  readonly show?: readonly string[];
  readonly submitLabel?: string | undefined;
  readonly onDone: (response: ResponseOf<P>) => void;
  readonly onCancel?: () => void;
  /** What the page shows below the fields, by the request that the form would send. */
  readonly preview?: (request: Partial<RequestOf<P>>) => ReactNode;
  readonly canSubmit?: (request: Partial<RequestOf<P>>) => boolean;
}

export function OperationForm<P extends WritePath>(props: OperationFormProps<P>) {
  const { path, record, onCancel, preview, canSubmit } = props;
  const declaration = writes[path];
  const { ref, inputs, write, general, request, isUnchanged, isWritten, onSubmit, tell } =
    useOperationForm(props);
  const { close, note } = useDialog();
  useEffect(() => note(isWritten), [note, isWritten]);
  const { outcome, isUnclear } = useOutcome({ path, request, record });
  const canSend = canSubmit?.(request) !== false;
  const { isPending, error } = write;
  const stop = isUnknown(error) ? close : onCancel;
  const warnings = form.warningsOf(declaration, request);
  const parts = new Set(Object.values(inputs.fields).map(({ part = "" }) => part as ""));
  const alternatives = (declaration.exactlyOneOf ?? []).filter((name) => name in inputs.fields);
  return (
    <form {...{ ref, onSubmit }} noValidate aria-label={declaration.summary}>
      {alternatives.length > 0 && (
        <Text mb="md">{texts.forms.oneOf(alternatives.map((name) => labelOf(name)))}</Text>
      )}
      {[...parts].map((part) => (
        <Fieldset
          key={part}
          {...{ legend: texts.forms.parts[part], disabled: isPending || isUnknown(error) }}
          {...{ variant: part ? "default" : "unstyled", mt: part && "md" }}
        >
          <SimpleGrid minColWidth={part ? "min(14rem, 100%)" : "100%"} spacing="md">
            <FieldInputs {...inputs} {...{ part, purpose: props.initial && "change" }} />
          </SimpleGrid>
        </Fieldset>
      ))}
      <FailureInForm value={tell}>
        {preview && <Box mt="md">{preview(request)}</Box>}
        {canSend && outcome}
      </FailureInForm>
      {warnings.map((warning) => (
        <Alert key={warning} color="orange">
          {warning}
        </Alert>
      ))}
      {general && (
        <FailureAlert error={general}>{isUnknown(general) && texts.forms.unknownOutcome}</FailureAlert>
      )}
      <Group justify="flex-end" wrap="wrap-reverse" mt="lg">
        {onCancel && (
          <PlainButton {...{ onClick: stop, disabled: isPending, children: texts.forms.cancel }} />
        )}
        <Button
          {...{ type: "submit", loading: isPending }}
          disabled={isUnchanged || isUnclear || !canSend}
          color={warnings.length > 0 ? "red" : undefined}
        >
          {isUnknown(error) ? texts.failure.tryAgain : (props.submitLabel ?? texts.forms.save)}
        </Button>
      </Group>
    </form>
  );
}

function useOperationForm<P extends WritePath>(props: OperationFormProps<P>) {
  const { path, initial, suggested, first, show, onDone } = props;
  const fixed = useRequest(path, (props.fixed ?? {}) as Asked<P>);
  const declaration = writes[path];
  const decimals = useDecimals();
  const names = show ?? (first && [...first, ...Object.keys(declaration.input)]);
  const all = form.fieldsOf(declaration.input, form.namesOf(declaration, fixed, names));
  const [before] = useState(() => form.formValues(all, initial ?? suggested ?? {}, decimals));
  const [values, setValues] = useState<FormValues>(before);
  // What can't be changed says what to ask, too, such as the kind.
  const known = { ...(initial as FormValues), ...values };
  const fields = form.askedFields(all, known);
  const sent = form.sentValues(all, known);
  const [found, setFound] = useState<Problems>({});
  const [attempts, setAttempts] = useState(0);
  const write = useWrite(path, onDone);
  const asked = form.fieldsOf(all, Object.keys(sent));
  const { request, problems: invalid } = form.readForm(asked, sent, decimals, initial && before);
  const whole = { ...fixed, ...request } as Partial<RequestOf<P>>;
  const [ofPreview, tell] = useState<Error | null>(null);
  const { byField, general } = problemsOf(write.error, fields, decimals);
  const ref = useRef<HTMLFormElement>(null);
  const problems = { ...problemsOf(ofPreview, fields, decimals).byField, ...byField, ...found };
  // Only an attempt moves the focus: while the person corrects a field, others are still wrong.
  useEffect(() => {
    if (write.error || attempts > 0) ref.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [attempts, write.error]);
  const onChange = (name: string, value: FormValues[string]) => {
    setValues((others) => ({ ...others, [name]: value }));
    setFound(({ [name]: _, ...others }) => others);
    if (write.error) write.reset();
  };
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    setFound(invalid);
    setAttempts(attempts + 1);
    if (Object.keys(invalid).length === 0) write.mutate(whole as RequestOf<P>);
  };
  const isUnchanged = initial !== undefined && Object.keys({ ...request, ...invalid }).length === 0;
  const isWritten = values !== before || write.isPending || isUnknown(write.error);
  const inputs = { fields, values, problems, onChange };
  return { ref, inputs, write, general, request: whole, isUnchanged, isWritten, onSubmit, tell };
}

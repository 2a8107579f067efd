/**
 * The form of a write, made from its declaration. It keeps what was written until the service has confirmed it. While the outcome
 * of a request is unknown, nothing can be edited, and "Try again" sends the same request with the same key.
 */
import { Alert, Button, Fieldset, Group, Stack } from "@mantine/core";
import { type ReactNode, type SubmitEvent, useEffect, useMemo, useRef, useState } from "react";
import { type AnswerOf, isUnknown, Rejection } from "../api/client.ts";
import {
  type Asked,
  declarationOf,
  type Fields,
  type RequestOf,
  type WritePath,
} from "../api/declarations.ts";
import { useDecimals, useWrite } from "../api/queries.ts";
import { useRequest } from "../business.tsx";
import { FailureAlert } from "../feedback/failure.tsx";
import { texts } from "../texts/en.ts";
import { labelOf } from "../texts/labels.ts";
import { FieldInputs } from "./field-inputs.tsx";
import { type FormValues, formValues, type Problems, readForm, warningsOf } from "./form-values.ts";

export interface OperationFormProps<P extends WritePath> {
  readonly path: P;
  /** Fields that the page sets, such as the member; it sets the business by itself. The form does not show them. */
  readonly fixed?: Partial<RequestOf<P>> | undefined;
  /** The record that is changed. Only its changed fields are sent. */
  readonly initial?: Readonly<Record<string, unknown>> | undefined;
  /** Values to begin with, for a new record. */
  readonly suggested?: Readonly<Record<string, unknown>> | undefined;
  /** Which fields the form shows, in which order. By default, all that are not fixed. */
  readonly show?: readonly string[] | undefined;
  readonly submitLabel?: string | undefined;
  readonly onDone: (answer: AnswerOf<P>) => void;
  readonly onCancel?: (() => void) | undefined;
  /** What the page shows below the fields, by the request that the form would send. */
  readonly preview?: ((request: Partial<RequestOf<P>>) => ReactNode) | undefined;
  readonly canSubmit?: ((request: Partial<RequestOf<P>>) => boolean) | undefined;
}

export function OperationForm<P extends WritePath>(props: OperationFormProps<P>) {
  const { path, initial, onCancel, preview, canSubmit } = props;
  const fixed = useRequest(path, (props.fixed ?? {}) as Asked<P>);
  const declaration = declarationOf(path);
  const form = useOperationForm({ ...props, fixed });
  const { fields, values, problems, write, change, request, general } = form;
  const element = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (Object.keys(problems).length > 0)
      element.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [problems]);
  const isLocked = write.isPending || isUnknown(write.error);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const complete = form.read();
    if (complete !== undefined) write.mutate(complete);
  };
  const whole = { ...fixed, ...request } as Partial<RequestOf<P>>;
  const warnings = warningsOf(declaration, whole);
  const isUnchanged = initial !== undefined && Object.keys(request).length === 0;
  const isBlocked = isUnchanged || (canSubmit !== undefined && !canSubmit(whole));
  return (
    <form ref={element} onSubmit={submit} noValidate aria-label={declaration.summary}>
      <Fieldset disabled={isLocked}>
        <Stack>
          <FieldInputs {...{ fields, values, problems }} onChange={change} />
        </Stack>
      </Fieldset>
      {preview?.(whole)}
      {warnings.map((warning) => (
        <Alert key={warning} color="orange" variant="light" mt="md">
          {warning}
        </Alert>
      ))}
      {general && (
        <FailureAlert error={general}>{isUnknown(general) && texts.forms.unknownOutcome}</FailureAlert>
      )}
      <Group justify="flex-end" mt="lg">
        {onCancel && (
          <Button variant="default" onClick={onCancel} disabled={write.isPending}>
            {texts.forms.cancel}
          </Button>
        )}
        <Button
          type="submit"
          loading={write.isPending}
          disabled={isBlocked}
          color={warnings.length > 0 ? "red" : undefined}
        >
          {isUnknown(write.error) ? texts.failure.tryAgain : (props.submitLabel ?? texts.forms.save)}
        </Button>
      </Group>
    </form>
  );
}

function useOperationForm<P extends WritePath>({
  path,
  fixed,
  initial,
  suggested,
  show,
  onDone,
}: OperationFormProps<P> & { readonly fixed: RequestOf<P> }) {
  const { input } = declarationOf(path);
  const decimals = useDecimals();
  const fields = useMemo((): Fields => {
    const names = show ?? Object.keys(input).filter((name) => !(name in fixed));
    return Object.fromEntries(names.flatMap((name) => (input[name] ? [[name, input[name]]] : [])));
  }, [input, fixed, show]);
  const [before] = useState(() => formValues(fields, initial ?? suggested ?? {}, decimals));
  const [values, setValues] = useState<FormValues>(before);
  const [found, setFound] = useState<Problems>({});
  const write = useWrite(path, onDone);
  const { request, problems: invalid } = readForm(fields, values, decimals, initial && before);
  const rejected = problemsOf(write.error, fields);
  return {
    fields,
    values,
    request,
    write,
    problems: { ...rejected.byField, ...found },
    general: rejected.general,
    change(name: string, value: FormValues[string]) {
      setValues((others) => ({ ...others, [name]: value }));
      setFound(({ [name]: _, ...others }) => others);
      if (write.error) write.reset();
    },
    /** @returns undefined if a field is invalid, which the form then shows */
    read(): RequestOf<P> | undefined {
      setFound(invalid);
      return Object.keys(invalid).length > 0 ? undefined : ({ ...fixed, ...request } as RequestOf<P>);
    },
  };
}

/** The problems of fields that the form shows, and the failure that it shows as a whole. */
function problemsOf(error: Error | null, fields: Fields): { byField: Problems; general: Error | undefined } {
  if (!(error instanceof Rejection)) return { byField: {}, general: error ?? undefined };
  const taken =
    (error.details.fields as string[] | undefined)?.map((field) => [field, texts.forms.taken]) ?? [];
  // A problem of a part, such as headers.0.name, is one of its field.
  const invalid = error.problems.map(({ field, message }) => {
    const [whole = "", ...parts] = field.split(".");
    const words = parts.map((part) => (/^\d+$/.test(part) ? ` ${Number(part) + 1}` : `, ${part}`));
    return [whole, message.replace(field, labelOf(whole) + words.join(""))];
  });
  const byField: Problems = Object.fromEntries(
    [...taken, ...invalid].filter(([field = ""]) => field in fields),
  );
  const isShown =
    Object.keys(byField).length > 0 && Object.keys(byField).length === taken.length + invalid.length;
  return { byField, general: isShown ? undefined : error };
}

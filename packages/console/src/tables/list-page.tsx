/** A page that is a list: its heading, the button for a new record, and the table. */
import type { ReactNode } from "react";
import type { ListPath, WritePath } from "../api/declarations.ts";
import { OperationButton } from "../forms/operation-dialog.tsx";
import type { OperationFormProps } from "../forms/operation-form.tsx";
import { PageTitle } from "../shell/page-title.tsx";
import { OperationTable, type OperationTableProps } from "./operation-table.tsx";

interface ListPageProps<P extends ListPath, W extends WritePath> extends OperationTableProps<P> {
  readonly words: {
    readonly title: string;
    readonly explanation?: string;
    /** The label of the button for a new record. By default, the summary of its operation. */
    readonly create?: string;
    readonly empty: string;
    readonly noneFound?: string;
  };
  /** The operation that makes a new record. */
  readonly create?: W;
  /** What its form shows below the fields, and whether it can be sent. */
  readonly creation?: Pick<OperationFormProps<W>, "preview" | "canSubmit">;
  readonly onCreated?: OperationFormProps<W>["onDone"];
  /** Other buttons of the page. */
  readonly more?: ReactNode;
}

export function ListPage<P extends ListPath, W extends WritePath = never>(props: ListPageProps<P, W>) {
  const { words, create, creation, onCreated, more, ...table } = props;
  const { title, explanation, empty, noneFound } = words;
  return (
    <>
      <PageTitle title={title} subtitle={explanation}>
        {create && (
          <OperationButton
            path={create}
            {...creation}
            {...(words.create && { label: words.create })}
            {...(onCreated && { onDone: onCreated })}
          />
        )}
        {more}
      </PageTitle>
      <OperationTable {...{ empty, noneFound }} {...(table as unknown as OperationTableProps<P>)} />
    </>
  );
}

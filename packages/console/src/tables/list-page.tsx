/** A page that is a list: its heading, the button for a new record, and the table. */
import type { ReactNode } from "react";
import { useLocation } from "wouter";
import type { ListPath, ResponseOf, WritePath } from "../api/index.ts";
import { OperationButton, type OperationButtonProps } from "../forms/operation-dialog.tsx";
import { PageTitle } from "../shell/page-title.tsx";
import { OperationTable, type OperationTableProps } from "./operation-table.tsx";

type Words = Record<"title" | "empty", string> &
  Partial<Record<"explanation" | "create" | "noneFound", string>>;

export interface ListPageProps<P extends ListPath, W extends WritePath> extends OperationTableProps<P> {
  /** "create" is the label of the button for a new record. By default, it is the summary of its operation. */
  readonly words: Readonly<Words>;
  /** The operation that makes a new record. */
  readonly create?: W;
  /** What its form shows below the fields, and whether it can be sent. */
  readonly creation?: Pick<OperationButtonProps<W>, "useExtras" | "suggested">;
  /** Other buttons of the page. */
  readonly more?: ReactNode;
  /** What is above the table. */
  readonly notice?: ReactNode;
}

export function ListPage<P extends ListPath, W extends WritePath = never>(props: ListPageProps<P, W>) {
  const { words, create, creation, more, notice, ...table } = props;
  const [, navigate] = useLocation();
  const { title, explanation, empty, noneFound } = words;
  const open = ({ data }: ResponseOf<W>) => {
    const address = props.linkTo?.(data as never);
    if (address) navigate(address);
  };
  return (
    <>
      <PageTitle title={title} subtitle={explanation}>
        {create && <OperationButton path={create} label={words.create} onDone={open} {...creation} />}
        {more}
      </PageTitle>
      {notice}
      <OperationTable {...{ empty, noneFound }} {...(table as unknown as OperationTableProps<P>)} />
    </>
  );
}

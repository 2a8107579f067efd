/** A page that is a list: its heading, the button for a new record, and the table. */
import { type ReactNode, useEffect, useState } from "react";
import { useLocation } from "wouter";
import { type ApiResponse, creationOf, type ListPath, reads, type WritePath } from "../api/index.ts";
import { OperationButton, type OperationButtonProps } from "../forms/operation-button.tsx";
import { PageTitle } from "../shell/page-title.tsx";
import { actionText } from "../texts/labels.ts";
import type { Row } from "../values/value.tsx";
import { OperationTable, type OperationTableProps } from "./operation-table.tsx";
import { useParameter } from "./order.ts";

/** "first": a first record to try, which the form begins with while there is none, and "sample" the label of its button. */
type Words = Record<"title" | "empty", string> &
  Partial<Record<"explanation" | "noneFound" | "sample", string>> & { readonly first?: Row };

type Button = OperationButtonProps<WritePath>;

/** `creation`: what the form of a new record has. `more`: other buttons of the page. `notice`: what is above the table. */
export type ListPageProps<P extends ListPath> = OperationTableProps<P> &
  Readonly<{ words: Readonly<Words>; more?: ReactNode; notice?: ReactNode }> &
  Readonly<{ creation?: Partial<Pick<Button, "useExtras" | "suggested" | "first">> }>;

export function ListPage<P extends ListPath>(props: ListPageProps<P>) {
  const { words, creation, more, notice, ...table } = props;
  const others = ["business_id", "similar", props.search, ...Object.keys(props.request ?? {})];
  // By default, people can filter by all that the request can have.
  const filters = Object.keys(reads[props.path].input).filter((name) => !others.includes(name)) as never;
  const [, navigate] = useLocation();
  // The search for everything leads here to add a record. The way back leads only to the list.
  const [isNew, forget] = useParameter("new", { replace: true });
  const [opened, open] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another form is opened only by another address
  useEffect(() => {
    if (isNew === null) return;
    open(opened + 1);
    forget();
  }, [isNew]);
  const { title, explanation, empty, noneFound, sample: label } = words;
  const path = creationOf(props.path);
  const show = ({ data }: ApiResponse<object>) => {
    const address = props.linkTo?.(data as never);
    if (address) navigate(address);
  };
  const button = (startsOpen: boolean, first?: Row) =>
    path && (
      <OperationButton
        key={opened}
        {...{ path, submitLabel: actionText(path), startsOpen, ...creation }}
        {...(first && { label, suggested: { ...creation?.suggested, ...first } })}
        button={{ variant: "filled" }}
        onDone={show}
      />
    );
  return (
    <>
      <PageTitle title={title} subtitle={explanation}>
        {button(opened > 0)}
        {more}
      </PageTitle>
      {notice}
      <OperationTable
        {...{ noneFound, filters }}
        {...table}
        empty={[<span key="">{empty}</span>, words.first && button(false, words.first)]}
      />
    </>
  );
}

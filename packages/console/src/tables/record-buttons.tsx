/** The buttons of a record in a list. */
import { Flex } from "@mantine/core";
import type { ReactNode } from "react";
import { type ApiResponse, declarationOf, type WritePath } from "../api/index.ts";
import { Note } from "../feedback/empty.tsx";
import { OperationButton, type OperationButtonProps } from "../forms/operation-dialog.tsx";
import { nameOf } from "../texts/labels.ts";
import type { Row } from "../values/value.tsx";

export interface RecordButton<R> {
  readonly path: WritePath;
  readonly label: string;
  /** Whether the form begins with the record, and sends only what is changed. */
  readonly edits?: boolean;
  /** The fields that come first. */
  readonly first?: readonly string[];
  /** Whether the record has the button. By default, it has. */
  readonly isFor?: (row: R) => boolean;
  /** Why the operation would reject the record as it is: it is shown instead of the button. */
  readonly obstacle?: (row: R) => ReactNode;
  /** Further fields of the request, besides the number of the record. */
  readonly fixed?: (row: R) => object;
  readonly explanation?: (row: R) => ReactNode;
  readonly useExtras?: OperationButtonProps<WritePath>["useExtras"];
  onDone?(response: ApiResponse<object>): void;
}

type RecordButtonsProps<R> = Readonly<{ row: R; id: string; buttons: readonly RecordButton<R>[] }>;

/** @param props the id is the field with the number of the record */
export function RecordButtons<R extends Row>({ row, id, buttons }: RecordButtonsProps<R>) {
  return (
    <Flex wrap={{ base: "wrap", sm: "nowrap" }} gap="xs" justify="flex-end">
      {buttons
        .filter(({ isFor }) => isFor === undefined || isFor(row))
        .map(({ path, label, edits, isFor: _, obstacle, fixed, explanation, ...others }) => {
          const key = `${path} ${label}`;
          const reason = obstacle?.(row);
          return reason ? (
            <Note key={key} maw="14rem" style={{ whiteSpace: "normal" }}>
              {reason}
            </Note>
          ) : (
            <OperationButton
              key={key}
              {...{ path, label, ...others }}
              fixed={{ ...(id in declarationOf(path).input && { [id]: row[id] }), ...fixed?.(row) }}
              initial={edits ? row : undefined}
              of={nameOf(row)}
              explanation={explanation?.(row)}
              button={{ size: "xs" }}
            />
          );
        })}
    </Flex>
  );
}

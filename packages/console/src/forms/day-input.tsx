/** A day, or a time with its day. People write it as they do in their language, or choose it in the calendar of the browser. */
import { ActionIcon, TextInput, type TextInputProps } from "@mantine/core";
import { useRef, useState } from "react";
import { colon, dayPattern, editedDay, pickedDay, texts, typedDay } from "../texts/index.ts";

type Own = Readonly<{ value: string; withTime: boolean; isFilter: boolean; label: string }> &
  Readonly<{ onChange: (value: string) => void }>;

const unseen = { position: "absolute", inset: "auto 0 0", opacity: 0, pointerEvents: "none" } as const;

/** @param input onChange gets the value, or what is written, if it is no day. A filter gets that only when the person leaves the field. */
export function DayInput(input: Omit<TextInputProps, keyof Own> & Own) {
  const { value, withTime, isFilter, onChange, ...props } = input;
  /** What the field shows while a person writes, also if it is empty; undefined if it shows the value. */
  const [written, setWritten] = useState<string>();
  const calendar = useRef<HTMLInputElement>(null);
  const write = (text: string, isLast = false) => {
    setWritten(isLast ? undefined : text);
    const day = typedDay(text, withTime);
    if (day || isLast || text === "" || !isFilter) onChange(day ?? text);
  };
  const settle = () => written !== undefined && write(written, true);
  const name = texts.forms.calendar + colon + props.label;
  const open = { onClick: () => calendar.current?.showPicker(), "aria-label": name };
  const type = withTime ? "datetime-local" : "date";
  const picker = { type, ref: calendar, value: pickedDay(value, withTime), tabIndex: -1, style: unseen };
  const rightSection = (
    <>
      <ActionIcon {...open} variant="subtle" color="gray">
        <svg viewBox="0 0 24 24" width="18" fill="none" stroke="currentColor" aria-hidden>
          <path d="M4 6h16v14H4zM4 10h16M8 3v4M16 3v4" />
        </svg>
      </ActionIcon>
      <input {...picker} onChange={({ target }) => write(target.value, true)} aria-hidden />
    </>
  );
  return (
    <TextInput
      {...{ ...props, rightSection, placeholder: dayPattern(withTime), autoComplete: "off", onBlur: settle }}
      value={written ?? editedDay(value, withTime)}
      onChange={(event) => write(event.currentTarget.value)}
      onKeyDown={({ key }) => key === "Enter" && settle()}
    />
  );
}

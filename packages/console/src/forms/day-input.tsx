/** A day, or a time with its day. People write it as they do in their language, or choose it in the calendar of the browser. */
import { ActionIcon, TextInput, type TextInputProps } from "@mantine/core";
import { useRef, useState } from "react";
import { dayPattern, editedDay, pickedDay, texts, typedDay } from "../texts/index.ts";

type Own = Readonly<{ value: string; withTime: boolean; onChange: (value: string) => void }>;

const unseen = { position: "absolute", inset: "auto 0 0", opacity: 0, pointerEvents: "none" } as const;

/** @param props.onChange gets the value, or at last what is written, if it is no day */
export function DayInput({ value, withTime, onChange, ...props }: Omit<TextInputProps, "onChange"> & Own) {
  const [written, setWritten] = useState("");
  const calendar = useRef<HTMLInputElement>(null);
  const write = (text: string, isLast = false) => {
    setWritten(isLast ? "" : text);
    const day = typedDay(text, withTime);
    if (day || isLast || text === "") onChange(day ?? text);
  };
  const settle = () => written && write(written, true);
  const open = { onClick: () => calendar.current?.showPicker(), "aria-label": texts.forms.calendar };
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
      value={written || editedDay(value, withTime)}
      onChange={(event) => write(event.currentTarget.value)}
      onKeyDown={({ key }) => key === "Enter" && settle()}
    />
  );
}

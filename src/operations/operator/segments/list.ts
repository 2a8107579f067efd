import { segmentRecords } from "../../members/member-filters.ts";

export const listSegments = segmentRecords.list({
  path: "/op/segments/list",
  role: "viewer",
  summary: "List segments",
  message: "Segments listed.",
  description: "Lists the filters of members that were saved, newest first.",
  columns: ["segment_id", "name", "filters"],
});

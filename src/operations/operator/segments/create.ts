import { newSegment, segmentRecords } from "../../members/member-filters.ts";

export const createSegment = segmentRecords.create({
  path: "/op/segments/create",
  role: "manager",
  event: "segment.created",
  summary: "Save filters of members",
  message: "Segment created.",
  description:
    "Saves filters of /op/members/list under a name. Send its segment_id instead of filters to list, count or export these members, or to " +
    "give them something. Who they are is found each time.",
  ...newSegment,
});

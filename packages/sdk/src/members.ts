/** Members, with a look-up for tills on top of the operations. */
import { NotFoundError } from "./errors.ts";
import { Members } from "./generated/resources.ts";
import type { MembersFindData } from "./generated/types.ts";
import type { CallOptions } from "./transport.ts";

export class MembersByPhone extends Members {
  /**
   * Finds a member by its whole phone number, however it is written: `+34 600 111-222`, `0034600111222`.
   * @returns undefined when no member has it
   */
  async findByPhone(phoneNumber: string, options?: CallOptions): Promise<MembersFindData | undefined> {
    const digits = phoneNumber.replace(/\D/g, "").replace(/^00/, "");
    try {
      return await this.find({ phone_number: `+${digits}` }, options);
    } catch (error) {
      if (error instanceof NotFoundError && error.is("member_not_found")) return undefined;
      throw error;
    }
  }
}

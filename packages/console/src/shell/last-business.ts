/** The business that the person used last in this browser. */
const key = "loyalty-console-business";

export const lastBusiness = {
  read: (): number => Number(localStorage.getItem(key)),
  write: (businessId: number): void => localStorage.setItem(key, String(businessId)),
};

/** Paginated lists: one page of them, or every item. */
import type { Answer } from "./attempt.ts";
import type { Pagination } from "./generated/types.ts";
import { type Walk, walkEntries, walkRecords } from "./walk.ts";

/** What every paginated list takes. */
interface PageFields {
  readonly page?: number | undefined;
  readonly per_page?: number | undefined;
}

/** How a list is to be asked for. */
export interface ListSource<Item> {
  readonly path: string;
  readonly request: PageFields;
  /** How many items a page holds at most. */
  readonly largestPage: number;
  /** The id that the items are ordered by; undefined for entries of a ledger. */
  readonly id: keyof Item | undefined;
  load(request: object): Promise<Answer<readonly Item[]>>;
}

/** One page of a list. */
export class Page<Item> {
  readonly data: readonly Item[];
  readonly pagination: Pagination;
  /** Names the request in the service's log. */
  readonly requestId: string | undefined;
  readonly #load: (page: number) => Promise<Page<Item>>;

  constructor(answer: Answer<readonly Item[]>, load: (page: number) => Promise<Page<Item>>) {
    this.data = answer.data;
    this.pagination = answer.meta.pagination as Pagination;
    this.requestId = answer.requestId;
    this.#load = load;
  }

  get hasNext(): boolean {
    return this.pagination.current_page < this.pagination.last_page;
  }

  /** The page after this one, or undefined after the last. Items that came in meanwhile move others onto it. */
  async next(): Promise<Page<Item> | undefined> {
    return this.hasNext ? this.#load(this.pagination.current_page + 1) : undefined;
  }
}

/**
 * A list that was asked for. Nothing is sent before it is awaited, which brings one page, or iterated with
 * `for await`, which brings every item from that page on, each once, however many come in meanwhile.
 */
export class List<Item> implements Promise<Page<Item>>, AsyncIterable<Item> {
  readonly [Symbol.toStringTag] = "List";
  readonly #source: ListSource<Item>;

  constructor(source: ListSource<Item>) {
    this.#source = source;
  }

  /** One page: the first, or the one that the request names. */
  page(): Promise<Page<Item>> {
    return this.#load(this.#source.request);
  }

  async #load(request: PageFields): Promise<Page<Item>> {
    const answer = await this.#source.load(request);
    return new Page(answer, (page) => this.#load({ ...request, page }));
  }

  // biome-ignore lint/suspicious/noThenProperty: awaiting a list brings a page of it
  then<Fulfilled = Page<Item>, Rejected = never>(
    onFulfilled?: ((page: Page<Item>) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onRejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    return this.page().then(onFulfilled, onRejected);
  }

  catch<Rejected = never>(
    onRejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Page<Item> | Rejected> {
    return this.page().catch(onRejected);
  }

  finally(onFinally?: (() => void) | null): Promise<Page<Item>> {
    return this.page().finally(onFinally);
  }

  /** Every item, newest first. */
  [Symbol.asyncIterator](): AsyncGenerator<Item, void> {
    const { path, request, largestPage, id } = this.#source;
    const perPage = request.per_page ?? largestPage;
    const walk: Walk<Item> = {
      path,
      firstPage: request.page ?? 1,
      perPage,
      load: (page) => this.#load({ ...request, page, per_page: perPage }),
    };
    return id === undefined ? walkEntries(walk) : walkRecords(walk, id);
  }
}

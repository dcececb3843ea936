export type Node<T> = { value: T; previous: Node<T> | undefined; next: Node<T> | undefined };

/** A first-in, first-out list that a member can leave from anywhere at once, however long it is. */
export class LinkedList<T> {
  size = 0;
  #first: Node<T> | undefined;
  #last: Node<T> | undefined;

  push(value: T): Node<T> {
    const node: Node<T> = { value, previous: this.#last, next: undefined };
    if (this.#last) this.#last.next = node;
    else this.#first = node;
    this.#last = node;
    this.size++;
    return node;
  }

  first(): T | undefined {
    return this.#first?.value;
  }

  shift(): T | undefined {
    const node = this.#first;
    if (node) this.remove(node);
    return node?.value;
  }

  /** The node must be in this list. */
  remove({ previous, next }: Node<T>): void {
    if (previous) previous.next = next;
    else this.#first = next;
    if (next) next.previous = previous;
    else this.#last = previous;
    this.size--;
  }
}

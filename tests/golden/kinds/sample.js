/**
 * A queue of print jobs for the label printer in the stock room.
 * Jobs are kept in order; a job that fails is tried again, at most three times.
 */
import { readFile } from "node:fs/promises";

const RETRIES = 3;
const PAUSE_MS = 1500; // The printer needs about a second. Give it more.

export class LabelQueue {
  #jobs = [];
  #busy = false;

  constructor(printer, { onError = console.error } = {}) {
    this.printer = printer;
    this.onError = onError;
  }

  add(label) {
    if (!label?.text) throw new TypeError("A label needs a text. Got: " + JSON.stringify(label));
    this.#jobs.push({ label, tries: 0 });
    return this.#drain();
  }

  async #drain() {
    if (this.#busy) return;
    this.#busy = true;

    while (this.#jobs.length > 0) {
      const job = this.#jobs[0];
      try {
        await this.printer.print(job.label.text, { copies: job.label.copies ?? 1 });
        this.#jobs.shift();
      } catch (error) {
        job.tries += 1;
        if (job.tries >= RETRIES) {
          this.onError(`Gave up on "${job.label.text}". Is there paper?`, error);
          this.#jobs.shift();
        }
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
    }

    this.#busy = false;
  }
}

export async function fromFile(path, printer) {
  const queue = new LabelQueue(printer);
  const lines = (await readFile(path, "utf8")).split("\n").filter((line) => line.trim() !== "");
  for (const line of lines) {
    const [text, copies] = line.split(";");
    await queue.add({ text, copies: Number(copies) || 1 });
  }
  return queue;
}

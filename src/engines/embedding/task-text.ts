/** Places a task before a text, as models with task prefixes are trained. Local models and services share the rule. */
export function withTask(text: string, task = ''): string {
  return task === '' ? text : `${task.trimEnd()} ${text}`
}

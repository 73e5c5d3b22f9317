/** URI of a task's resource. */
export function taskUri(taskId: string): string {
  return `media://tasks/${taskId}`
}

/** URI of a file's resource. */
export function fileUri(fileId: string): string {
  return `media://files/${fileId}`
}

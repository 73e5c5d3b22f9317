import { parentPort } from 'node:worker_threads'

// A model thread that never replies. It ends when it receives null.
parentPort?.on('message', (sent: unknown) => {
  if (sent === null) parentPort?.close()
})

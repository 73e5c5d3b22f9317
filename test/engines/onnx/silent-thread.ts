import { parentPort } from 'node:worker_threads'

// A model thread that never replies. It stays alive until it is told to end.
parentPort?.on('message', (sent: unknown) => {
  if (sent === null) parentPort?.close()
})

/**
 * The values of all examples: one game, one player, one request. A test replaces them with real ones and sends each example
 * of the description.
 */
export const EXAMPLES = {
  appId: 'h7Rk2mVx9LqTz4WcB1Np',
  appAddress: '0x2c7536E3605D9C16a7a3D7b1898e529396a65c23',
  userId: 'Zt4nQ8vKc1XyLr7BmWd3PsHf6GjE',
  userAddress: '0x9858EfFD232B4033E47d90003D41EC34EcaEda94',
  requestId: '019b2f6e-8c1d-7a43-9f52-6d0e8b7c4a15',
  transferId: '019b2f6e-8c2f-7b10-8e4d-3a5c9f0b7d26',
  eventId: '019b2f6e-9d3a-7c51-8e04-2f7a1b6c9d30',
  endpointId: '019b2f6d-1e2f-7b60-a4c3-5d8e9f0a1b2c',
  txId: '0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060',
  accessToken: 'qa_3vXkT9mQ2LrYc8NzWb5JhPs7DfGtE1aUoKi4RxMyBnC',
  pageToken: 'eyJhbGciOiJFUzI1NiJ9.eyJ1aWQiOiJadDRuUTh2S2MxWHlMcjdCbVdkM1BzSGY2R2pFIn0.c2lnbmF0dXJl',
} as const;

// Generated from contracts/ by scripts/build-contracts.ts. Do not edit.

export const quartersAbi = [
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "admin",
        "type": "address"
      },
      {
        "internalType": "address",
        "name": "treasury",
        "type": "address"
      },
      {
        "internalType": "uint256",
        "name": "initialSupply",
        "type": "uint256"
      }
    ],
    "stateMutability": "nonpayable",
    "type": "constructor"
  },
  {
    "inputs": [],
    "name": "AccessControlBadConfirmation",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "account",
        "type": "address"
      },
      {
        "internalType": "bytes32",
        "name": "neededRole",
        "type": "bytes32"
      }
    ],
    "name": "AccessControlUnauthorizedAccount",
    "type": "error"
  },
  {
    "inputs": [],
    "name": "ECDSAInvalidSignature",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "uint256",
        "name": "length",
        "type": "uint256"
      }
    ],
    "name": "ECDSAInvalidSignatureLength",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "bytes32",
        "name": "s",
        "type": "bytes32"
      }
    ],
    "name": "ECDSAInvalidSignatureS",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "uint256",
        "name": "increasedSupply",
        "type": "uint256"
      },
      {
        "internalType": "uint256",
        "name": "cap",
        "type": "uint256"
      }
    ],
    "name": "ERC20ExceededCap",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "spender",
        "type": "address"
      },
      {
        "internalType": "uint256",
        "name": "allowance",
        "type": "uint256"
      },
      {
        "internalType": "uint256",
        "name": "needed",
        "type": "uint256"
      }
    ],
    "name": "ERC20InsufficientAllowance",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "sender",
        "type": "address"
      },
      {
        "internalType": "uint256",
        "name": "balance",
        "type": "uint256"
      },
      {
        "internalType": "uint256",
        "name": "needed",
        "type": "uint256"
      }
    ],
    "name": "ERC20InsufficientBalance",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "approver",
        "type": "address"
      }
    ],
    "name": "ERC20InvalidApprover",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "uint256",
        "name": "cap",
        "type": "uint256"
      }
    ],
    "name": "ERC20InvalidCap",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "receiver",
        "type": "address"
      }
    ],
    "name": "ERC20InvalidReceiver",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "sender",
        "type": "address"
      }
    ],
    "name": "ERC20InvalidSender",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "spender",
        "type": "address"
      }
    ],
    "name": "ERC20InvalidSpender",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "uint256",
        "name": "deadline",
        "type": "uint256"
      }
    ],
    "name": "ERC2612ExpiredSignature",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "signer",
        "type": "address"
      },
      {
        "internalType": "address",
        "name": "owner",
        "type": "address"
      }
    ],
    "name": "ERC2612InvalidSigner",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "uint256",
        "name": "validAfter",
        "type": "uint256"
      },
      {
        "internalType": "uint256",
        "name": "validBefore",
        "type": "uint256"
      }
    ],
    "name": "ERC3009InvalidAuthorizationTime",
    "type": "error"
  },
  {
    "inputs": [],
    "name": "ERC3009InvalidSignature",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "authorizer",
        "type": "address"
      },
      {
        "internalType": "bytes32",
        "name": "nonce",
        "type": "bytes32"
      }
    ],
    "name": "ERC3009UsedAuthorization",
    "type": "error"
  },
  {
    "inputs": [],
    "name": "EnforcedPause",
    "type": "error"
  },
  {
    "inputs": [],
    "name": "ExpectedPause",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "account",
        "type": "address"
      },
      {
        "internalType": "uint256",
        "name": "currentNonce",
        "type": "uint256"
      }
    ],
    "name": "InvalidAccountNonce",
    "type": "error"
  },
  {
    "inputs": [],
    "name": "InvalidShortString",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "bytes32",
        "name": "id",
        "type": "bytes32"
      }
    ],
    "name": "MintAlreadyUsed",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "uint8",
        "name": "bits",
        "type": "uint8"
      },
      {
        "internalType": "uint256",
        "name": "value",
        "type": "uint256"
      }
    ],
    "name": "SafeCastOverflowedUintDowncast",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "string",
        "name": "str",
        "type": "string"
      }
    ],
    "name": "StringTooLong",
    "type": "error"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "address",
        "name": "owner",
        "type": "address"
      },
      {
        "indexed": true,
        "internalType": "address",
        "name": "spender",
        "type": "address"
      },
      {
        "indexed": false,
        "internalType": "uint256",
        "name": "value",
        "type": "uint256"
      }
    ],
    "name": "Approval",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "address",
        "name": "authorizer",
        "type": "address"
      },
      {
        "indexed": true,
        "internalType": "bytes32",
        "name": "nonce",
        "type": "bytes32"
      }
    ],
    "name": "AuthorizationCanceled",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "address",
        "name": "authorizer",
        "type": "address"
      },
      {
        "indexed": true,
        "internalType": "bytes32",
        "name": "nonce",
        "type": "bytes32"
      }
    ],
    "name": "AuthorizationUsed",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [],
    "name": "EIP712DomainChanged",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "bytes32",
        "name": "id",
        "type": "bytes32"
      },
      {
        "indexed": true,
        "internalType": "address",
        "name": "to",
        "type": "address"
      },
      {
        "indexed": false,
        "internalType": "uint256",
        "name": "amount",
        "type": "uint256"
      }
    ],
    "name": "Minted",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": false,
        "internalType": "address",
        "name": "account",
        "type": "address"
      }
    ],
    "name": "Paused",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "bytes32",
        "name": "role",
        "type": "bytes32"
      },
      {
        "indexed": true,
        "internalType": "bytes32",
        "name": "previousAdminRole",
        "type": "bytes32"
      },
      {
        "indexed": true,
        "internalType": "bytes32",
        "name": "newAdminRole",
        "type": "bytes32"
      }
    ],
    "name": "RoleAdminChanged",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "bytes32",
        "name": "role",
        "type": "bytes32"
      },
      {
        "indexed": true,
        "internalType": "address",
        "name": "account",
        "type": "address"
      },
      {
        "indexed": true,
        "internalType": "address",
        "name": "sender",
        "type": "address"
      }
    ],
    "name": "RoleGranted",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "bytes32",
        "name": "role",
        "type": "bytes32"
      },
      {
        "indexed": true,
        "internalType": "address",
        "name": "account",
        "type": "address"
      },
      {
        "indexed": true,
        "internalType": "address",
        "name": "sender",
        "type": "address"
      }
    ],
    "name": "RoleRevoked",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "address",
        "name": "from",
        "type": "address"
      },
      {
        "indexed": true,
        "internalType": "address",
        "name": "to",
        "type": "address"
      },
      {
        "indexed": false,
        "internalType": "uint256",
        "name": "value",
        "type": "uint256"
      }
    ],
    "name": "Transfer",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": false,
        "internalType": "address",
        "name": "account",
        "type": "address"
      }
    ],
    "name": "Unpaused",
    "type": "event"
  },
  {
    "inputs": [],
    "name": "DEFAULT_ADMIN_ROLE",
    "outputs": [
      {
        "internalType": "bytes32",
        "name": "",
        "type": "bytes32"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [],
    "name": "DOMAIN_SEPARATOR",
    "outputs": [
      {
        "internalType": "bytes32",
        "name": "",
        "type": "bytes32"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [],
    "name": "MINTER_ROLE",
    "outputs": [
      {
        "internalType": "bytes32",
        "name": "",
        "type": "bytes32"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [],
    "name": "PAUSER_ROLE",
    "outputs": [
      {
        "internalType": "bytes32",
        "name": "",
        "type": "bytes32"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "owner",
        "type": "address"
      },
      {
        "internalType": "address",
        "name": "spender",
        "type": "address"
      }
    ],
    "name": "allowance",
    "outputs": [
      {
        "internalType": "uint256",
        "name": "",
        "type": "uint256"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "spender",
        "type": "address"
      },
      {
        "internalType": "uint256",
        "name": "value",
        "type": "uint256"
      }
    ],
    "name": "approve",
    "outputs": [
      {
        "internalType": "bool",
        "name": "",
        "type": "bool"
      }
    ],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "authorizer",
        "type": "address"
      },
      {
        "internalType": "bytes32",
        "name": "nonce",
        "type": "bytes32"
      }
    ],
    "name": "authorizationState",
    "outputs": [
      {
        "internalType": "bool",
        "name": "",
        "type": "bool"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "account",
        "type": "address"
      }
    ],
    "name": "balanceOf",
    "outputs": [
      {
        "internalType": "uint256",
        "name": "",
        "type": "uint256"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "authorizer",
        "type": "address"
      },
      {
        "internalType": "bytes32",
        "name": "nonce",
        "type": "bytes32"
      },
      {
        "internalType": "uint8",
        "name": "v",
        "type": "uint8"
      },
      {
        "internalType": "bytes32",
        "name": "r",
        "type": "bytes32"
      },
      {
        "internalType": "bytes32",
        "name": "s",
        "type": "bytes32"
      }
    ],
    "name": "cancelAuthorization",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [],
    "name": "cap",
    "outputs": [
      {
        "internalType": "uint256",
        "name": "",
        "type": "uint256"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [],
    "name": "decimals",
    "outputs": [
      {
        "internalType": "uint8",
        "name": "",
        "type": "uint8"
      }
    ],
    "stateMutability": "pure",
    "type": "function"
  },
  {
    "inputs": [],
    "name": "eip712Domain",
    "outputs": [
      {
        "internalType": "bytes1",
        "name": "fields",
        "type": "bytes1"
      },
      {
        "internalType": "string",
        "name": "name",
        "type": "string"
      },
      {
        "internalType": "string",
        "name": "version",
        "type": "string"
      },
      {
        "internalType": "uint256",
        "name": "chainId",
        "type": "uint256"
      },
      {
        "internalType": "address",
        "name": "verifyingContract",
        "type": "address"
      },
      {
        "internalType": "bytes32",
        "name": "salt",
        "type": "bytes32"
      },
      {
        "internalType": "uint256[]",
        "name": "extensions",
        "type": "uint256[]"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "bytes32",
        "name": "role",
        "type": "bytes32"
      }
    ],
    "name": "getRoleAdmin",
    "outputs": [
      {
        "internalType": "bytes32",
        "name": "",
        "type": "bytes32"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "bytes32",
        "name": "role",
        "type": "bytes32"
      },
      {
        "internalType": "address",
        "name": "account",
        "type": "address"
      }
    ],
    "name": "grantRole",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "bytes32",
        "name": "role",
        "type": "bytes32"
      },
      {
        "internalType": "address",
        "name": "account",
        "type": "address"
      }
    ],
    "name": "hasRole",
    "outputs": [
      {
        "internalType": "bool",
        "name": "",
        "type": "bool"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "to",
        "type": "address"
      },
      {
        "internalType": "uint256",
        "name": "amount",
        "type": "uint256"
      },
      {
        "internalType": "bytes32",
        "name": "id",
        "type": "bytes32"
      }
    ],
    "name": "mint",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "bytes32",
        "name": "id",
        "type": "bytes32"
      }
    ],
    "name": "mintUsed",
    "outputs": [
      {
        "internalType": "bool",
        "name": "minted",
        "type": "bool"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [],
    "name": "name",
    "outputs": [
      {
        "internalType": "string",
        "name": "",
        "type": "string"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "owner",
        "type": "address"
      }
    ],
    "name": "nonces",
    "outputs": [
      {
        "internalType": "uint256",
        "name": "",
        "type": "uint256"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [],
    "name": "pause",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [],
    "name": "paused",
    "outputs": [
      {
        "internalType": "bool",
        "name": "",
        "type": "bool"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "owner",
        "type": "address"
      },
      {
        "internalType": "address",
        "name": "spender",
        "type": "address"
      },
      {
        "internalType": "uint256",
        "name": "value",
        "type": "uint256"
      },
      {
        "internalType": "uint256",
        "name": "deadline",
        "type": "uint256"
      },
      {
        "internalType": "uint8",
        "name": "v",
        "type": "uint8"
      },
      {
        "internalType": "bytes32",
        "name": "r",
        "type": "bytes32"
      },
      {
        "internalType": "bytes32",
        "name": "s",
        "type": "bytes32"
      }
    ],
    "name": "permit",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "from",
        "type": "address"
      },
      {
        "internalType": "address",
        "name": "to",
        "type": "address"
      },
      {
        "internalType": "uint256",
        "name": "value",
        "type": "uint256"
      },
      {
        "internalType": "uint256",
        "name": "validAfter",
        "type": "uint256"
      },
      {
        "internalType": "uint256",
        "name": "validBefore",
        "type": "uint256"
      },
      {
        "internalType": "bytes32",
        "name": "nonce",
        "type": "bytes32"
      },
      {
        "internalType": "uint8",
        "name": "v",
        "type": "uint8"
      },
      {
        "internalType": "bytes32",
        "name": "r",
        "type": "bytes32"
      },
      {
        "internalType": "bytes32",
        "name": "s",
        "type": "bytes32"
      }
    ],
    "name": "receiveWithAuthorization",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "bytes32",
        "name": "role",
        "type": "bytes32"
      },
      {
        "internalType": "address",
        "name": "callerConfirmation",
        "type": "address"
      }
    ],
    "name": "renounceRole",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "bytes32",
        "name": "role",
        "type": "bytes32"
      },
      {
        "internalType": "address",
        "name": "account",
        "type": "address"
      }
    ],
    "name": "revokeRole",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "bytes4",
        "name": "interfaceId",
        "type": "bytes4"
      }
    ],
    "name": "supportsInterface",
    "outputs": [
      {
        "internalType": "bool",
        "name": "",
        "type": "bool"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [],
    "name": "symbol",
    "outputs": [
      {
        "internalType": "string",
        "name": "",
        "type": "string"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [],
    "name": "totalSupply",
    "outputs": [
      {
        "internalType": "uint256",
        "name": "",
        "type": "uint256"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "to",
        "type": "address"
      },
      {
        "internalType": "uint256",
        "name": "value",
        "type": "uint256"
      }
    ],
    "name": "transfer",
    "outputs": [
      {
        "internalType": "bool",
        "name": "",
        "type": "bool"
      }
    ],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "from",
        "type": "address"
      },
      {
        "internalType": "address",
        "name": "to",
        "type": "address"
      },
      {
        "internalType": "uint256",
        "name": "value",
        "type": "uint256"
      }
    ],
    "name": "transferFrom",
    "outputs": [
      {
        "internalType": "bool",
        "name": "",
        "type": "bool"
      }
    ],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "from",
        "type": "address"
      },
      {
        "internalType": "address",
        "name": "to",
        "type": "address"
      },
      {
        "internalType": "uint256",
        "name": "value",
        "type": "uint256"
      },
      {
        "internalType": "uint256",
        "name": "validAfter",
        "type": "uint256"
      },
      {
        "internalType": "uint256",
        "name": "validBefore",
        "type": "uint256"
      },
      {
        "internalType": "bytes32",
        "name": "nonce",
        "type": "bytes32"
      },
      {
        "internalType": "uint8",
        "name": "v",
        "type": "uint8"
      },
      {
        "internalType": "bytes32",
        "name": "r",
        "type": "bytes32"
      },
      {
        "internalType": "bytes32",
        "name": "s",
        "type": "bytes32"
      }
    ],
    "name": "transferWithAuthorization",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [],
    "name": "unpause",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  }
] as const;

export const quartersBytecode: `0x${string}` =
  '0x610180604052348015610010575f5ffd5b506040516126ed3803806126ed83398101604081905261002f91610527565b60405180604001604052806008815260200167517561727465727360c01b81525080604051806040016040528060018152602001603160f81b815250661fffffffffffff60405180604001604052806008815260200167517561727465727360c01b815250604051806040016040528060018152602001605160f81b81525081600390816100bd9190610602565b5060046100ca8282610602565b505050805f036100f45760405163392e1e2760e01b81525f60048201526024015b60405180910390fd5b60805261010082610218565b6101405261010d81610218565b61016052815160208084019190912061010052815190820120610120524660c05261019b6101005161012051604080517f8b73c3c69bb8fe3d512ecc4cf759cc79239f7b179b0ffacaa9a75d522b39400f60208201529081019290925260608201524660808201523060a08201525f9060c00160405160208183030381529060405280519060200120905090565b60a05250503060e052506101af5f84610255565b506101da7f9f2df0fed2c77648de5860a4cc508cd0818c85b8b8a1ab4ceeef8d981c8956a684610255565b506102057f65d7a28e3265b37a6474929f336521b332c1681b933f6cb9f3376673440d862a84610255565b506102108282610302565b505050610733565b5f5f829050601f81511115610242578260405163305a27a960e01b81526004016100eb91906106bc565b805161024d826106f1565b179392505050565b5f828152600a602090815260408083206001600160a01b038516845290915281205460ff166102f9575f838152600a602090815260408083206001600160a01b03861684529091529020805460ff191660011790556102b13390565b6001600160a01b0316826001600160a01b0316847f2f8788117e7eff1d82e926ec794901d17c78024a50270940304540a733656f0d60405160405180910390a45060016102fc565b505f5b92915050565b6001600160a01b03821661032b5760405163ec442f0560e01b81525f60048201526024016100eb565b6103365f838361033a565b5050565b61034583838361034a565b505050565b61035261035d565b610345838383610383565b60055460ff16156103815760405163d93c066560e01b815260040160405180910390fd5b565b61038e8383836103e6565b6001600160a01b038316610345575f6103a660805190565b90505f6103b260025490565b9050818111156103df5760405163279e7e1560e21b815260048101829052602481018390526044016100eb565b5050505050565b6001600160a01b038316610410578060025f8282546104059190610714565b909155506104809050565b6001600160a01b0383165f90815260208190526040902054818110156104625760405163391434e360e21b81526001600160a01b038516600482015260248101829052604481018390526064016100eb565b6001600160a01b0384165f9081526020819052604090209082900390555b6001600160a01b03821661049c576002805482900390556104ba565b6001600160a01b0382165f9081526020819052604090208054820190555b816001600160a01b0316836001600160a01b03167fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef836040516104ff91815260200190565b60405180910390a3505050565b80516001600160a01b0381168114610522575f5ffd5b919050565b5f5f5f60608486031215610539575f5ffd5b6105428461050c565b92506105506020850161050c565b9150604084015190509250925092565b634e487b7160e01b5f52604160045260245ffd5b600181811c9082168061058857607f821691505b6020821081036105a657634e487b7160e01b5f52602260045260245ffd5b50919050565b601f821115610345578282111561034557805f5260205f20601f840160051c60208510156105d757505f5b90810190601f840160051c035f5b818110156105fa575f838201556001016105e5565b505050505050565b81516001600160401b0381111561061b5761061b610560565b61062f816106298454610574565b846105ac565b6020601f821160018114610661575f831561064a5750848201515b5f19600385901b1c1916600184901b1784556103df565b5f84815260208120601f198516915b828110156106905787850151825560209485019460019092019101610670565b50848210156106ad57868401515f19600387901b60f8161c191681555b50505050600190811b01905550565b602081525f82518060208401528060208501604085015e5f604082850101526040601f19601f83011684010191505092915050565b805160208083015191908110156105a6575f1960209190910360031b1b16919050565b808201808211156102fc57634e487b7160e01b5f52601160045260245ffd5b60805160a05160c05160e05161010051610120516101405161016051611f586107955f395f6112a501525f61127a01525f61105901525f61103101525f610f8c01525f610fb601525f610fe001525f81816102dc01526118dc0152611f585ff3fe608060405234801561000f575f5ffd5b50600436106101e7575f3560e01c806370a0823111610109578063d505accf1161009e578063e3ee160e1161006e578063e3ee160e1461047e578063e63ab1e914610491578063e94a0102146104b8578063ef55bec6146104f0575f5ffd5b8063d505accf146103f9578063d53913931461040c578063d547741f14610433578063dd62ed3e14610446575f5ffd5b806391d14854116100d957806391d148541461039f57806395d89b41146103d7578063a217fddf146103df578063a9059cbb146103e6575f5ffd5b806370a08231146103415780637ecebe00146103695780638456cb591461037c57806384b0196e14610384575f5ffd5b80632f2ff15d1161017f57806336568abe1161014f57806336568abe146103085780633f4ba83a1461031b5780635a049a70146103235780635c975abb14610336575f5ffd5b80632f2ff15d146102b9578063313ce567146102cc578063355274ea146102da5780633644e51514610300575f5ffd5b80631e458bee116101ba5780631e458bee1461024d57806323b872dd14610262578063248a9ca31461027557806328ae9f1f14610297575f5ffd5b806301ffc9a7146101eb57806306fdde0314610213578063095ea7b31461022857806318160ddd1461023b575b5f5ffd5b6101fe6101f9366004611ad5565b610503565b60405190151581526020015b60405180910390f35b61021b61059b565b60405161020a9190611b67565b6101fe610236366004611b94565b61062b565b6002545b60405190815260200161020a565b61026061025b366004611bbc565b610642565b005b6101fe610270366004611bec565b61072f565b61023f610283366004611c26565b5f908152600a602052604090206001015490565b6101fe6102a5366004611c26565b600b6020525f908152604090205460ff1681565b6102606102c7366004611c3d565b610752565b6040515f815260200161020a565b7f000000000000000000000000000000000000000000000000000000000000000061023f565b61023f61077c565b610260610316366004611c3d565b61078a565b6102606107db565b610260610331366004611c77565b610810565b60055460ff166101fe565b61023f61034f366004611cc1565b6001600160a01b03165f9081526020819052604090205490565b61023f610377366004611cc1565b6108e1565b6102606108fe565b61038c610930565b60405161020a9796959493929190611cda565b6101fe6103ad366004611c3d565b5f918252600a602090815260408084206001600160a01b0393909316845291905290205460ff1690565b61021b61098e565b61023f5f81565b6101fe6103f4366004611b94565b61099d565b610260610407366004611d8c565b6109aa565b61023f7f9f2df0fed2c77648de5860a4cc508cd0818c85b8b8a1ab4ceeef8d981c8956a681565b610260610441366004611c3d565b610b12565b61023f610454366004611df2565b6001600160a01b039182165f90815260016020908152604080832093909416825291909152205490565b61026061048c366004611e1a565b610b36565b61023f7f65d7a28e3265b37a6474929f336521b332c1681b933f6cb9f3376673440d862a81565b6101fe6104c6366004611b94565b6001600160a01b03919091165f908152600960209081526040808320938352929052205460ff1690565b6102606104fe366004611e1a565b610c0b565b5f7fffffffff0000000000000000000000000000000000000000000000000000000082167f7965db0b00000000000000000000000000000000000000000000000000000000148061059557507f01ffc9a7000000000000000000000000000000000000000000000000000000007fffffffff000000000000000000000000000000000000000000000000000000008316145b92915050565b6060600380546105aa90611e95565b80601f01602080910402602001604051908101604052809291908181526020018280546105d690611e95565b80156106215780601f106105f857610100808354040283529160200191610621565b820191905f5260205f20905b81548152906001019060200180831161060457829003601f168201915b5050505050905090565b5f33610638818585610d30565b5060019392505050565b7f9f2df0fed2c77648de5860a4cc508cd0818c85b8b8a1ab4ceeef8d981c8956a661066c81610d3d565b5f828152600b6020526040902054829060ff16156106c2576040517fe65f6b2b0000000000000000000000000000000000000000000000000000000081526004016106b991815260200190565b60405180910390fd5b505f828152600b60205260409020805460ff191660011790556106e58484610d47565b836001600160a01b0316827f1a49076e0e8c733171c5360d78c9ae8e19fef5a0720b926e72f78b7cc37618cd8560405161072191815260200190565b60405180910390a350505050565b5f3361073c858285610d98565b610747858585610e46565b506001949350505050565b5f828152600a602052604090206001015461076c81610d3d565b6107768383610ed5565b50505050565b5f610785610f80565b905090565b6001600160a01b03811633146107cc576040517f6697b23200000000000000000000000000000000000000000000000000000000815260040160405180910390fd5b6107d682826110a9565b505050565b7f65d7a28e3265b37a6474929f336521b332c1681b933f6cb9f3376673440d862a61080581610d3d565b61080d61112e565b50565b604080517f158b0a9edf7a828aad02f63cd515c68ef2f50ba807396f6d12842833a159742960208201526001600160a01b03871691810191909152606081018590525f90610877906080015b60405160208183030381529060405280519060200120611180565b9050610885818585856111c7565b6001600160a01b0316866001600160a01b0316146108cf576040517f77c207f400000000000000000000000000000000000000000000000000000000815260040160405180910390fd5b6108d986866111f3565b505050505050565b6001600160a01b0381165f90815260086020526040812054610595565b7f65d7a28e3265b37a6474929f336521b332c1681b933f6cb9f3376673440d862a61092881610d3d565b61080d611236565b5f6060805f5f5f6060610941611273565b61094961129e565b604080515f808252602082019092527f0f000000000000000000000000000000000000000000000000000000000000009b939a50919850469750309650945092509050565b6060600480546105aa90611e95565b5f33610638818585610e46565b834211156109e7576040517f62791302000000000000000000000000000000000000000000000000000000008152600481018590526024016106b9565b5f7f6e71edae12b1b97f4d1f60370fef10105fa2faae0126114a169c64845d6126c9888888610a328c6001600160a01b03165f90815260086020526040902080546001810190915590565b6040805160208101969096526001600160a01b0394851690860152929091166060840152608083015260a082015260c0810186905260e0016040516020818303038152906040528051906020012090505f610a8c82611180565b90505f610a9b828787876111c7565b9050896001600160a01b0316816001600160a01b031614610afb576040517f4b800e460000000000000000000000000000000000000000000000000000000081526001600160a01b0380831660048301528b1660248201526044016106b9565b610b068a8a8a610d30565b50505050505050505050565b5f828152600a6020526040902060010154610b2c81610d3d565b61077683836110a9565b604080517f7c7c6cdb67a18743f49ec6fa9b35f50d52ed05cbed4cc592e13b44501c1a226760208201526001600160a01b03808c169282019290925290891660608201526080810188905260a0810187905260c0810186905260e081018590525f90610ba5906101000161085c565b9050610bb3818585856111c7565b6001600160a01b03168a6001600160a01b031614610bfd576040517f77c207f400000000000000000000000000000000000000000000000000000000815260040160405180910390fd5b610b068a8a8a8a8a8a6112c9565b604080517fd099cc98ef71107a616c4f0f941f04c322d8e254fe26b3c6668db87aae413de860208201526001600160a01b03808c169282019290925290891660608201526080810188905260a0810187905260c0810186905260e081018590525f90610c7a906101000161085c565b9050610c88818585856111c7565b6001600160a01b03168a6001600160a01b031614610cd2576040517f77c207f400000000000000000000000000000000000000000000000000000000815260040160405180910390fd5b886001600160a01b0381163314610d21576040517fec442f050000000000000000000000000000000000000000000000000000000081526001600160a01b0390911660048201526024016106b9565b50610b068a8a8a8a8a8a6112c9565b6107d6838383600161131d565b61080d8133611413565b6001600160a01b038216610d89576040517fec442f050000000000000000000000000000000000000000000000000000000081525f60048201526024016106b9565b610d945f8383611480565b5050565b6001600160a01b038381165f908152600160209081526040808320938616835292905220547fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff8110156107765781811015610e38576040517ffb8f41b20000000000000000000000000000000000000000000000000000000081526001600160a01b038416600482015260248101829052604481018390526064016106b9565b61077684848484035f61131d565b6001600160a01b038316610e88576040517f96c6fd1e0000000000000000000000000000000000000000000000000000000081525f60048201526024016106b9565b6001600160a01b038216610eca576040517fec442f050000000000000000000000000000000000000000000000000000000081525f60048201526024016106b9565b6107d6838383611480565b5f828152600a602090815260408083206001600160a01b038516845290915281205460ff16610f79575f838152600a602090815260408083206001600160a01b03861684529091529020805460ff19166001179055610f313390565b6001600160a01b0316826001600160a01b0316847f2f8788117e7eff1d82e926ec794901d17c78024a50270940304540a733656f0d60405160405180910390a4506001610595565b505f610595565b5f306001600160a01b037f000000000000000000000000000000000000000000000000000000000000000016148015610fd857507f000000000000000000000000000000000000000000000000000000000000000046145b1561100257507f000000000000000000000000000000000000000000000000000000000000000090565b610785604080517f8b73c3c69bb8fe3d512ecc4cf759cc79239f7b179b0ffacaa9a75d522b39400f60208201527f0000000000000000000000000000000000000000000000000000000000000000918101919091527f000000000000000000000000000000000000000000000000000000000000000060608201524660808201523060a08201525f9060c00160405160208183030381529060405280519060200120905090565b5f828152600a602090815260408083206001600160a01b038516845290915281205460ff1615610f79575f838152600a602090815260408083206001600160a01b0386168085529252808320805460ff1916905551339286917ff6391f5c32d9c69d2a47ea670b442974b53935d1edc7fd64eb21e047a839171b9190a4506001610595565b61113661148b565b6005805460ff191690557f5db9ee0a495bf2e6ff9c91a7834c1ba4fdd244a5e8aa4e537bd38aeae4b073aa335b6040516001600160a01b03909116815260200160405180910390a1565b5f61059561118c610f80565b836040517f19010000000000000000000000000000000000000000000000000000000000008152600281019290925260228201526042902090565b5f5f5f5f6111d7888888886114c9565b9250925092506111e782826115af565b50909695505050505050565b6111fd82826116b2565b60405181906001600160a01b038416907f1cdd46ff242716cdaa72d159d339a485b3438398348d68f09d7c8c0a59353d81905f90a35050565b61123e611755565b6005805460ff191660011790557f62e78cea01bee320cd4e420270b5ea74000d11b0c9f74754ebdbfc544b05a2586111633390565b60606107857f0000000000000000000000000000000000000000000000000000000000000000611792565b60606107857f0000000000000000000000000000000000000000000000000000000000000000611792565b6112d383836117cf565b6112dd86826116b2565b60405181906001600160a01b038816907f98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5905f90a36108d9868686610e46565b6001600160a01b03841661135f576040517fe602df050000000000000000000000000000000000000000000000000000000081525f60048201526024016106b9565b6001600160a01b0383166113a1576040517f94280d620000000000000000000000000000000000000000000000000000000081525f60048201526024016106b9565b6001600160a01b038085165f908152600160209081526040808320938716835292905220829055801561077657826001600160a01b0316846001600160a01b03167f8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b9258460405161072191815260200190565b5f828152600a602090815260408083206001600160a01b038516845290915290205460ff16610d94576040517fe2517d3f0000000000000000000000000000000000000000000000000000000081526001600160a01b0382166004820152602481018390526044016106b9565b6107d6838383611857565b60055460ff166114c7576040517f8dfc202b00000000000000000000000000000000000000000000000000000000815260040160405180910390fd5b565b5f80807f7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a084111561150257505f915060039050826115a5565b604080515f808252602082018084528a905260ff891692820192909252606081018790526080810186905260019060a0016020604051602081039080840390855afa158015611553573d5f5f3e3d5ffd5b50506040517fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe001519150506001600160a01b03811661159c57505f9250600191508290506115a5565b92505f91508190505b9450945094915050565b5f8260038111156115c2576115c2611ee6565b036115cb575050565b60018260038111156115df576115df611ee6565b03611616576040517ff645eedf00000000000000000000000000000000000000000000000000000000815260040160405180910390fd5b600282600381111561162a5761162a611ee6565b03611664576040517ffce698f7000000000000000000000000000000000000000000000000000000008152600481018290526024016106b9565b600382600381111561167857611678611ee6565b03610d94576040517fd78bce0c000000000000000000000000000000000000000000000000000000008152600481018290526024016106b9565b6001600160a01b0382165f9081526009602090815260408083208484529091529020548290829060ff1615611724576040517f8f7808c10000000000000000000000000000000000000000000000000000000081526001600160a01b03909216600483015260248201526044016106b9565b50506001600160a01b039091165f90815260096020908152604080832093835292905220805460ff19166001179055565b60055460ff16156114c7576040517fd93c066500000000000000000000000000000000000000000000000000000000815260040160405180910390fd5b60605f61179e8361186a565b6040805160208082528183019092529192505f91906020820181803683375050509182525060208101929092525090565b81811665800000000000165f81156117ee576117e96118aa565b6117f6565b6117f66118b4565b65ffffffffffff169050811984168111801561181457508119831681105b848490916108d9576040517f4a931c17000000000000000000000000000000000000000000000000000000008152600481019290925260248201526044016106b9565b61185f611755565b6107d68383836118be565b5f60ff8216601f811115610595576040517fb3512b0c00000000000000000000000000000000000000000000000000000000815260040160405180910390fd5b5f61078543611947565b5f61078542611947565b6118c9838383611996565b6001600160a01b0383166107d6576002547f00000000000000000000000000000000000000000000000000000000000000009081811115611940576040517f9e79f85400000000000000000000000000000000000000000000000000000000815260048101829052602481018390526044016106b9565b5050505050565b5f65ffffffffffff821115611992576040517f6dfcc65000000000000000000000000000000000000000000000000000000000815260306004820152602481018390526044016106b9565b5090565b6001600160a01b0383166119c0578060025f8282546119b59190611f13565b90915550611a499050565b6001600160a01b0383165f9081526020819052604090205481811015611a2b576040517fe450d38c0000000000000000000000000000000000000000000000000000000081526001600160a01b038516600482015260248101829052604481018390526064016106b9565b6001600160a01b0384165f9081526020819052604090209082900390555b6001600160a01b038216611a6557600280548290039055611a83565b6001600160a01b0382165f9081526020819052604090208054820190555b816001600160a01b0316836001600160a01b03167fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef83604051611ac891815260200190565b60405180910390a3505050565b5f60208284031215611ae5575f5ffd5b81357fffffffff0000000000000000000000000000000000000000000000000000000081168114611b14575f5ffd5b9392505050565b5f81518084528060208401602086015e5f6020828601015260207fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0601f83011685010191505092915050565b602081525f611b146020830184611b1b565b80356001600160a01b0381168114611b8f575f5ffd5b919050565b5f5f60408385031215611ba5575f5ffd5b611bae83611b79565b946020939093013593505050565b5f5f5f60608486031215611bce575f5ffd5b611bd784611b79565b95602085013595506040909401359392505050565b5f5f5f60608486031215611bfe575f5ffd5b611c0784611b79565b9250611c1560208501611b79565b929592945050506040919091013590565b5f60208284031215611c36575f5ffd5b5035919050565b5f5f60408385031215611c4e575f5ffd5b82359150611c5e60208401611b79565b90509250929050565b803560ff81168114611b8f575f5ffd5b5f5f5f5f5f60a08688031215611c8b575f5ffd5b611c9486611b79565b945060208601359350611ca960408701611c67565b94979396509394606081013594506080013592915050565b5f60208284031215611cd1575f5ffd5b611b1482611b79565b7fff000000000000000000000000000000000000000000000000000000000000008816815260e060208201525f611d1460e0830189611b1b565b8281036040840152611d268189611b1b565b606084018890526001600160a01b038716608085015260a0840186905283810360c0850152845180825260208087019350909101905f5b81811015611d7b578351835260209384019390920191600101611d5d565b50909b9a5050505050505050505050565b5f5f5f5f5f5f5f60e0888a031215611da2575f5ffd5b611dab88611b79565b9650611db960208901611b79565b95506040880135945060608801359350611dd560808901611c67565b9699959850939692959460a0840135945060c09093013592915050565b5f5f60408385031215611e03575f5ffd5b611e0c83611b79565b9150611c5e60208401611b79565b5f5f5f5f5f5f5f5f5f6101208a8c031215611e33575f5ffd5b611e3c8a611b79565b9850611e4a60208b01611b79565b975060408a0135965060608a0135955060808a0135945060a08a01359350611e7460c08b01611c67565b989b979a50959894979396929550929360e081013593506101000135919050565b600181811c90821680611ea957607f821691505b602082108103611ee0577f4e487b71000000000000000000000000000000000000000000000000000000005f52602260045260245ffd5b50919050565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52602160045260245ffd5b80820180821115610595577f4e487b71000000000000000000000000000000000000000000000000000000005f52601160045260245ffdfea164736f6c6343000825000a';

export const settlementAbi = [
  {
    "inputs": [
      {
        "internalType": "contract IERC3009",
        "name": "token_",
        "type": "address"
      }
    ],
    "stateMutability": "nonpayable",
    "type": "constructor"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "token",
        "type": "address"
      }
    ],
    "name": "NotAToken",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "uint256",
        "name": "index",
        "type": "uint256"
      }
    ],
    "name": "NotEnoughGas",
    "type": "error"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "address",
        "name": "from",
        "type": "address"
      },
      {
        "indexed": true,
        "internalType": "bytes32",
        "name": "nonce",
        "type": "bytes32"
      },
      {
        "indexed": false,
        "internalType": "bytes",
        "name": "reason",
        "type": "bytes"
      }
    ],
    "name": "AuthorizationFailed",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "address",
        "name": "from",
        "type": "address"
      },
      {
        "indexed": true,
        "internalType": "bytes32",
        "name": "nonce",
        "type": "bytes32"
      }
    ],
    "name": "AuthorizationSkipped",
    "type": "event"
  },
  {
    "inputs": [
      {
        "components": [
          {
            "internalType": "address",
            "name": "from",
            "type": "address"
          },
          {
            "internalType": "address",
            "name": "to",
            "type": "address"
          },
          {
            "internalType": "uint256",
            "name": "value",
            "type": "uint256"
          },
          {
            "internalType": "bytes32",
            "name": "nonce",
            "type": "bytes32"
          },
          {
            "internalType": "uint8",
            "name": "v",
            "type": "uint8"
          },
          {
            "internalType": "bytes32",
            "name": "r",
            "type": "bytes32"
          },
          {
            "internalType": "bytes32",
            "name": "s",
            "type": "bytes32"
          }
        ],
        "internalType": "struct Settlement.Authorization[]",
        "name": "authorizations",
        "type": "tuple[]"
      }
    ],
    "name": "settle",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [],
    "name": "token",
    "outputs": [
      {
        "internalType": "contract IERC3009",
        "name": "",
        "type": "address"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  }
] as const;

export const settlementBytecode: `0x${string}` =
  '0x60a060405234801561000f575f5ffd5b506040516107b63803806107b683398101604081905261002e91610079565b806001600160a01b0381163b6100675760405163f0ae59ab60e01b81526001600160a01b03909116600482015260240160405180910390fd5b506001600160a01b03166080526100a6565b5f60208284031215610089575f5ffd5b81516001600160a01b038116811461009f575f5ffd5b9392505050565b6080516106eb6100cb5f395f818160520152818161013f01526102d801526106eb5ff3fe608060405234801561000f575f5ffd5b5060043610610034575f3560e01c8063ae66e04014610038578063fc0c546a1461004d575b5f5ffd5b61004b6100463660046104d1565b61009d565b005b6100747f000000000000000000000000000000000000000000000000000000000000000081565b60405173ffffffffffffffffffffffffffffffffffffffff909116815260200160405180910390f35b5f5b81811015610469575f5a9050620186a06100ba604083610542565b6100c4908361057a565b1015829061010a576040517f5e31f86000000000000000000000000000000000000000000000000000000000815260040161010191815260200190565b60405180910390fd5b503684848481811061011e5761011e6105b8565b60e0029190910191505073ffffffffffffffffffffffffffffffffffffffff7f00000000000000000000000000000000000000000000000000000000000000001663e3ee160e61017160208401846105e5565b61018160408501602086016105e5565b60408501355f7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff60608801356101bd60a08a0160808b0161061f565b6040517fffffffff0000000000000000000000000000000000000000000000000000000060e08a901b16815273ffffffffffffffffffffffffffffffffffffffff978816600482015296909516602487015260448601939093526064850191909152608484015260a483015260ff1660c482015260a084013560e482015260c0840135610104820152610124015f604051808303815f87803b158015610261575f5ffd5b505af1925050508015610272575060015b61045f575f61027f61046e565b90505f81511184906102c0576040517f5e31f86000000000000000000000000000000000000000000000000000000000815260040161010191815260200190565b5073ffffffffffffffffffffffffffffffffffffffff7f00000000000000000000000000000000000000000000000000000000000000001663e94a010261030a60208501856105e5565b6040517fffffffff0000000000000000000000000000000000000000000000000000000060e084901b16815273ffffffffffffffffffffffffffffffffffffffff909116600482015260608501356024820152604401602060405180830381865afa15801561037b573d5f5f3e3d5ffd5b505050506040513d601f19601f8201168201806040525081019061039f919061063f565b156103fd5760608201356103b660208401846105e5565b73ffffffffffffffffffffffffffffffffffffffff167f1dd52135763848fa3e73b0f5f5e335e8e047a1a33558dc46bcd944ff471c116c60405160405180910390a361045d565b606082013561040f60208401846105e5565b73ffffffffffffffffffffffffffffffffffffffff167fdb00aa43676839fb65ab8d775348f05cbd1aea390d32f41dec655d83683c40f483604051610454919061065e565b60405180910390a35b505b505060010161009f565b505050565b60603d61010081111561048057506101005b8067ffffffffffffffff811115610499576104996106b1565b6040519080825280601f01601f1916602001820160405280156104c3576020820181803683370190505b509150805f602084013e5090565b5f5f602083850312156104e2575f5ffd5b823567ffffffffffffffff8111156104f8575f5ffd5b8301601f81018513610508575f5ffd5b803567ffffffffffffffff81111561051e575f5ffd5b85602060e083028401011115610532575f5ffd5b6020919091019590945092505050565b5f82610575577f4e487b71000000000000000000000000000000000000000000000000000000005f52601260045260245ffd5b500490565b818103818111156105b2577f4e487b71000000000000000000000000000000000000000000000000000000005f52601160045260245ffd5b92915050565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52603260045260245ffd5b5f602082840312156105f5575f5ffd5b813573ffffffffffffffffffffffffffffffffffffffff81168114610618575f5ffd5b9392505050565b5f6020828403121561062f575f5ffd5b813560ff81168114610618575f5ffd5b5f6020828403121561064f575f5ffd5b81518015158114610618575f5ffd5b602081525f82518060208401528060208501604085015e5f6040828501015260407fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0601f83011684010191505092915050565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52604160045260245ffdfea164736f6c6343000825000a';

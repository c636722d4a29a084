// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC3009} from "@openzeppelin/contracts/interfaces/draft-IERC3009.sol";

/// @title Several ERC-3009 authorizations in one transaction, each on its own
/// @notice No owner, no funds, no state: anyone may call it with any authorizations.
/// @dev Why being permissionless is harmless. An authorization names payer, payee, amount and nonce under the payer's
/// signature, so whoever submits it can neither redirect nor change it; the token consumes (payer, nonce) with the
/// first payment, so a copy taken from the mempool, from an orphaned block or from an old transaction and sent again,
/// here or straight to the token, can only bring the one payment forward, never make a second one.
///
/// Why each on its own. The service backs every leg by its own hold and pays it in the end, so all-or-nothing would
/// only let one bad leg (a payer who cancelled in front of us, an authorization replayed by a stranger to spoil the
/// batch) stop all the others.
contract Settlement {
    /// @dev validAfter is always 0 and validBefore always 2^256-1: the service ends an authorization only by
    /// cancelling it, never by a clock, so neither is worth its calldata.
    struct Authorization {
        address from;
        address to;
        uint256 value;
        bytes32 nonce;
        uint8 v;
        bytes32 r;
        bytes32 s;
    }

    /// @dev Gas that must reach the token. A transfer to a new account takes about 60,000; the rest is head room.
    uint256 private constant TOKEN_GAS = 100_000;

    /// @dev Longest reported reason: the token's errors are at most 100 bytes. Without a bound, a callee could answer
    /// with so much data that copying it takes the gas of the authorizations that follow.
    uint256 private constant MAX_REASON = 256;

    IERC3009 public immutable token;

    /// @notice The nonce was used or cancelled before; nothing was paid now.
    event AuthorizationSkipped(address indexed from, bytes32 indexed nonce);

    /// @notice The token refused; `reason` is its error, at most 256 bytes. The nonce is still unused.
    event AuthorizationFailed(address indexed from, bytes32 indexed nonce, bytes reason);

    /// @notice Too little gas for the authorization at `index`. The whole transaction is undone; send the same again.
    error NotEnoughGas(uint256 index);

    error NotAToken(address token);

    constructor(IERC3009 token_) {
        require(address(token_).code.length > 0, NotAToken(address(token_)));
        token = token_;
    }

    /// @notice Pays each authorization that is still open. One `AuthorizationUsed` of the token, one
    /// {AuthorizationSkipped} or one {AuthorizationFailed} per entry, in order.
    /// @dev The attack behind {NotEnoughGas}: a call receives at most 63/64 of the gas that is left (EIP-150). Whoever
    /// copies our calldata can choose a gas limit at which the token runs dry while the last 1/64 suffices to go on,
    /// and so make a good authorization look refused. Two checks, since gas prices differ by chain and fork:
    /// before each call the gas that will reach the token must suffice; and a failure without a reason, which the
    /// token never gives by itself, counts as running dry.
    function settle(Authorization[] calldata authorizations) external {
        for (uint256 i = 0; i < authorizations.length; ++i) {
            uint256 available = gasleft();
            require(available - available / 64 >= TOKEN_GAS, NotEnoughGas(i));
            Authorization calldata a = authorizations[i];
            try token.transferWithAuthorization(
                a.from, a.to, a.value, 0, type(uint256).max, a.nonce, a.v, a.r, a.s
            ) {} catch {
                bytes memory reason = _reason();
                require(reason.length > 0, NotEnoughGas(i));
                if (token.authorizationState(a.from, a.nonce)) emit AuthorizationSkipped(a.from, a.nonce);
                else emit AuthorizationFailed(a.from, a.nonce, reason);
            }
        }
    }

    /// @dev What the failed call returned, cut to {MAX_REASON}. Must come before any other call.
    function _reason() private pure returns (bytes memory reason) {
        uint256 size;
        assembly ("memory-safe") {
            size := returndatasize()
        }
        if (size > MAX_REASON) size = MAX_REASON;
        reason = new bytes(size);
        assembly ("memory-safe") {
            returndatacopy(add(reason, 0x20), 0, size)
        }
    }
}
